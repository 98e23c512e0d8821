// What is really to be seen on the page, from the DOM: lines of text and things that can be acted on, in picture pixels.
// Things that only half show (cut by an edge, half under a menu) are hidden first, so that every truth is a whole one.
() => {
  const scale = devicePixelRatio, EDGE = 1;
  const complaints = [];
  const TYPED = new Set(["text", "search", "email", "tel", "url", "number", "password", "date", "time", ""]);
  const REPLACED = new Set(["INPUT", "SELECT", "TEXTAREA", "BUTTON", "svg", "IMG", "BR", "PROGRESS"]);
  document.head.insertAdjacentHTML("beforeend", "<style>*{pointer-events:auto !important}</style>");

  const visible = (el) => el.checkVisibility({ opacityProperty: true, visibilityProperty: true, contentVisibilityAuto: true });
  const clipped = (rect, el) => {
    let [l, t, r, b] = [Math.max(rect.left, 0), Math.max(rect.top, 0), Math.min(rect.right, innerWidth), Math.min(rect.bottom, innerHeight)];
    for (let up = el; up && up !== document.documentElement; up = up.parentElement) {
      const style = getComputedStyle(up);
      if (style.overflowX === "visible" && style.overflowY === "visible") continue;
      const box = up.getBoundingClientRect();
      const x = box.left + up.clientLeft, y = box.top + up.clientTop;
      l = Math.max(l, x); t = Math.max(t, y); r = Math.min(r, x + up.clientWidth); b = Math.min(b, y + up.clientHeight);
    }
    return Math.max(0, r - l) * Math.max(0, b - t) / Math.max(rect.width * rect.height, 1e-6);
  };
  const alpha = (el) => {
    const colour = getComputedStyle(el).backgroundColor.match(/[\d.]+/g).map(Number);
    return (colour.length === 4 ? colour[3] : 1) * Number(getComputedStyle(el).opacity);
  };
  const shows = (el, x, y) => {
    for (const hit of document.elementsFromPoint(x, y)) {
      if (hit.contains(el) || el.contains(hit)) return true;
      if (alpha(hit) > 0.85 || hit.tagName === "IMG") return false;
    }
    return true;
  };
  // 1 wholly to be seen, 0 not at all, between: in part
  const share = (rect, el, from = el) => {
    const part = clipped(rect, from);
    if (part < 0.02) return 0;
    // well inside: neighbours may lie a pixel over each other's frames
    const dx = Math.min(Math.max(0.06 * rect.width, 3), 0.4 * rect.width), dy = 0.2 * rect.height;
    const points = [[rect.left + rect.width / 2, rect.top + rect.height / 2], [rect.left + dx, rect.top + dy], [rect.right - dx, rect.top + dy],
      [rect.left + dx, rect.bottom - dy], [rect.right - dx, rect.bottom - dy]]
      .filter(([x, y]) => x >= 0 && y >= 0 && x < innerWidth && y < innerHeight);
    const seen = points.filter(([x, y]) => shows(el, x, y)).length / Math.max(points.length, 1);
    return Math.min(part > 0.97 ? 1 : part, seen);
  };
  const blockOf = (el) => {
    while (el.parentElement && ["inline", "contents"].includes(getComputedStyle(el).display)) el = el.parentElement;
    return el;
  };
  const cased = (text, el) => {
    const lang = document.documentElement.lang, how = getComputedStyle(el).textTransform;
    if (how === "uppercase") return text.toLocaleUpperCase(lang);
    if (how === "lowercase") return text.toLocaleLowerCase(lang);
    return how === "capitalize" ? text.replace(/^(\P{L}*)(\p{L})/u, (_, a, b) => a + b.toLocaleUpperCase(lang)) : text;
  };
  // words of one text node, each with the box of its line
  const pieces = (node) => {
    const range = document.createRange(), out = [];
    for (const match of node.data.matchAll(/\S+/g)) {
      range.setStart(node, match.index); range.setEnd(node, match.index + match[0].length);
      const rects = [...range.getClientRects()].filter((r) => r.width > 0.5);
      if (rects.length === 1) { out.push({ text: match[0], rect: rects[0], spaced: match.index > 0 && /\s/.test(node.data[match.index - 1]) }); continue; }
      let last = null; // a word over several lines: letter by letter
      for (let i = 0; i < match[0].length; i++) {
        range.setStart(node, match.index + i); range.setEnd(node, match.index + i + 1);
        const r = range.getBoundingClientRect();
        if (!r.width) continue;
        if (last && Math.abs(last.rect.top - r.top) < 2) { last.text += match[0][i]; last.rect = new DOMRect(last.rect.x, last.rect.y, r.right - last.rect.x, last.rect.height); }
        else out.push(last = { text: match[0][i], rect: r, spaced: i === 0 && match.index > 0 });
      }
    }
    return out;
  };
  const shown = (el) => {
    if (el.tagName === "SELECT") return el.selectedOptions[0]?.text ?? "";
    // the browser's own language decides, not the page's
    if (el.type === "date" && el.value) { const [y, m, d] = el.value.split("-"); return `${m}/${d}/${y}`; }
    if (el.type === "password" && el.value) return "";
    return el.value || el.placeholder || "";
  };
  // the value of a control, laid out again in a plain box of the same font
  const valuePieces = (el) => {
    const text = shown(el), style = getComputedStyle(el), box = el.getBoundingClientRect();
    if (!text.trim()) return [];
    const area = el.tagName === "TEXTAREA", mirror = document.createElement("div");
    for (const name of ["fontFamily", "fontSize", "fontWeight", "fontStyle", "letterSpacing", "lineHeight", "textTransform", "textIndent"]) mirror.style[name] = style[name];
    const native = el.tagName === "SELECT" && style.appearance !== "none" ? 4 : 0; // Chromium's own room in a choice it draws itself
    const left = box.left + el.clientLeft + parseFloat(style.paddingLeft) + native, width = el.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
    Object.assign(mirror.style, {
      position: "fixed", left: "0", top: "0", margin: "0", padding: "0", border: "0", textAlign: el.tagName === "INPUT" ? style.textAlign : "left",
      width: width + "px", whiteSpace: area ? "pre-wrap" : "pre", overflowWrap: "break-word", zIndex: "-1", minHeight: "0",
    });
    mirror.textContent = text;
    document.body.append(mirror);
    const origin = mirror.getBoundingClientRect(), found = pieces(mirror.firstChild);
    const reach = Math.max(...found.map((p) => p.rect.right - origin.left), 0), height = mirror.scrollHeight;
    mirror.remove();
    if (!area && reach > width + 1 && el.tagName !== "SELECT") complaints.push(`value is cut: ${text}`);
    if (el.tagName === "SELECT" && reach > width + 1) complaints.push(`choice is cut: ${text}`);
    const top = area ? box.top + el.clientTop + parseFloat(style.paddingTop) - el.scrollTop
      : box.top + el.clientTop + parseFloat(style.paddingTop) + (el.clientHeight - parseFloat(style.paddingTop) - parseFloat(style.paddingBottom) - height) / 2;
    const wider = el.type === "date" ? 6 : 0; // its three numbers stand in boxes of their own, a pixel apart
    return found.map((p) => ({ ...p, rect: new DOMRect(p.rect.x - origin.x + left, p.rect.y - origin.y + top, p.rect.width + wider, p.rect.height) }));
  };

  const textNodes = () => {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT), out = [];
    let barrier = 0;
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (node.nodeType === 1) { if (REPLACED.has(node.tagName)) barrier++; continue; }
      const parent = node.parentElement;
      if (!node.data.trim() || ["STYLE", "SCRIPT", "OPTION", "TEXTAREA"].includes(parent.tagName) || parent.closest("svg") || !visible(parent)) continue;
      out.push({ node, parent, barrier });
    }
    return out;
  };
  const wrapAndHide = (node) => {
    const span = document.createElement("span");
    node.replaceWith(span); span.append(node); span.style.setProperty("visibility", "hidden", "important");
  };

  const ROLES = [
    ["tab", "[role=tab]"], ["menu_item", "[role=menuitem]"],
    ["checkbox", "input[type=checkbox]"], ["radio", "input[type=radio]"],
    ["field", "input, textarea, select, [contenteditable=true], [role=combobox]"], ["button", "button, [role=button], a.btn, a.button, [data-role=button], th"],
    ["link", "a[href]"], ["icon", "svg"],
  ];
  const CONTROLS = ROLES.slice(0, 7).map(([, css]) => css).join(",");
  const drawnBox = (el) => {
    const rect = el.getBoundingClientRect();
    if (!el.matches("[type=checkbox],[type=radio]")) return rect;
    const drawn = el.parentElement.querySelector("[data-box]");
    if (drawn) return drawn.getBoundingClientRect();
    const label = el.nextElementSibling, css = label && getComputedStyle(label, "::before");
    if (!label || css.content === "none") return rect;
    const at = label.getBoundingClientRect();
    return new DOMRect(at.left + parseFloat(css.left), at.top + parseFloat(css.top), parseFloat(css.width), parseFloat(css.height));
  };
  const union = (a, b) => { const x = Math.min(a.left, b.left), y = Math.min(a.top, b.top); return new DOMRect(x, y, Math.max(a.right, b.right) - x, Math.max(a.bottom, b.bottom) - y); };
  const opaque = (colour) => { const parts = colour.match(/[\d.]+/g).map(Number); return parts.length < 4 || parts[3] > 0.1; };
  const framed = (el) => {
    const s = getComputedStyle(el);
    const lined = (side) => parseFloat(s[`border${side}Width`]) > 0 && s[`border${side}Style`] !== "none" && opaque(s[`border${side}Color`]);
    return alpha(el) > 0.3 || s.backgroundImage !== "none" || s.boxShadow !== "none" || (lined("Top") && lined("Left"));
  };
  // the box of what is drawn: the room around it shows nowhere
  const inked = (svg) => {
    const parts = [...svg.querySelectorAll("path,circle,rect,line,polyline,polygon,ellipse")].map((part) => {
      const s = getComputedStyle(part), r = part.getBoundingClientRect(), around = s.stroke === "none" ? 0 : parseFloat(s.strokeWidth) * svg.getBoundingClientRect().width / (svg.viewBox.baseVal?.width || 24) / 2;
      return s.fill === "none" && s.stroke === "none" || s.fillOpacity === "0" ? null : new DOMRect(r.x - around, r.y - around, r.width + 2 * around, r.height + 2 * around);
    }).filter(Boolean);
    return parts.length ? parts.reduce(union) : svg.getBoundingClientRect();
  };
  const words = (el) => el.innerText.replace(/\s+/g, " ").trim();
  const labelOf = (el) => {
    const label = el.closest("label") ?? (el.nextElementSibling?.tagName === "LABEL" ? el.nextElementSibling : null);
    return label ? words(label) : "";
  };
  const describe = (el) => {
    let role = ROLES.find(([, css]) => el.matches(css))[0];
    if (role === "icon" && el.closest(CONTROLS)?.matches(":not(th)")) return null;
    if (role === "tab" && el.parentElement.closest("[role=tab]")) return null; // drawn by the entry around it
    if (el.matches("th") && (getComputedStyle(el).boxShadow.split("inset").length < 4 || !words(el))) return null; // a head is a button where it looks raised
    if (role === "link" && framed(el)) role = "button";
    const choice = role === "checkbox" || role === "radio", painted = choice ? (drawnBox(el), el.parentElement.querySelector("[data-box]") ?? el) : el;
    if (choice ? !visible(el.parentElement) : !visible(el)) return null;
    let rect = choice ? drawnBox(el) : el.getBoundingClientRect();
    if (rect.width < 4 || rect.height < 4) return null;
    const sign = el.matches("svg") ? el : el.querySelector("svg");
    if (role === "button" && !framed(el) && !el.matches("[aria-pressed]")) {
      const [red, green, blue] = getComputedStyle(el).color.match(/[\d.]+/g).map(Number);
      if (!words(el)) role = "icon";
      else if (Math.max(red, green, blue) - Math.min(red, green, blue) > 40) role = "link";
    }
    if ((role === "icon" || (role === "link" && !words(el))) && sign) rect = inked(sign);
    const text = choice ? labelOf(el) : role === "field" ? (el.matches("[role=combobox]") ? words(el) : shown(el)) : role === "icon" ? "" : words(el);
    if (role === "link" && !text) role = "icon";
    const states = [];
    if (el.checked || el.getAttribute("aria-selected") === "true" || (el.getAttribute("aria-current") && role !== "link")) states.push("checked");
    if (el.disabled || el.getAttribute("aria-disabled") === "true") states.push("disabled");
    if (el === document.activeElement) states.push("focused");
    return { el, painted: choice ? el.parentElement : painted, rect, role, text, states };
  };
  // a control may clip what is in it (inputs do), its own frame it does not
  const whole = (thing) => share(thing.rect, thing.painted, thing.el.parentElement);
  const things = () => [...document.querySelectorAll(CONTROLS + ",svg")].map(describe).filter(Boolean);

  // hide what does not show as a whole: of what is covered, a sliver might look out
  for (let round = 0; round < 4; round++) {
    let changed = 0;
    for (const { node, parent } of textNodes()) {
      const parts = pieces(node).map((p) => share(p.rect, parent));
      if (parts.some((s) => s < 1)) { wrapAndHide(node); changed++; }
    }
    for (const thing of things()) {
      const part = whole(thing);
      if (part < 1) { thing.el.style.setProperty("visibility", "hidden", "important"); thing.el.parentElement.querySelector("[data-box]")?.style.setProperty("visibility", "hidden", "important"); if (thing.painted !== thing.el) thing.painted.style.setProperty("visibility", "hidden", "important"); changed++; }
    }
    if (!changed) break;
  }

  const out = (rect) => {
    const x = Math.floor(rect.left * scale), y = Math.floor(rect.top * scale);
    return [x, y, Math.ceil(rect.right * scale) - x, Math.ceil(rect.bottom * scale) - y];
  };
  const texts = [];
  let smallest = 1e9;
  const add = (list, em) => {
    let line = null;
    for (const p of list) {
      const gap = line ? p.rect.left - line.rect.right : 0;
      const shared = line ? Math.min(p.rect.bottom, line.rect.bottom) - Math.max(p.rect.top, line.rect.top) : 0;
      if (line && p.barrier === line.barrier && p.block === line.block && shared > 0.5 * Math.min(p.rect.height, line.rect.height) && gap > -2 && gap < 1.2 * p.em) {
        line.text += (p.spaced || gap > 0.15 * p.em ? " " : "") + p.text; line.rect = union(line.rect, p.rect);
      } else { line = { ...p }; texts.push(line); }
    }
  };
  const inline = [];
  for (const { node, parent, barrier } of textNodes()) {
    const style = getComputedStyle(parent), em = parseFloat(style.fontSize), block = blockOf(parent);
    for (const p of pieces(node)) {
      if (share(p.rect, parent) < 1) continue;
      smallest = Math.min(smallest, em * scale);
      inline.push({ ...p, text: cased(p.text, parent), barrier, block, em });
    }
    if (style.textOverflow === "ellipsis" && parent.scrollWidth > parent.clientWidth + 1) complaints.push(`cut by ellipsis: ${node.data.trim()}`);
  }
  add(inline);
  for (const el of document.querySelectorAll("input, select, textarea")) {
    if ((el.tagName === "INPUT" && !TYPED.has(el.type)) || !visible(el) || share(el.getBoundingClientRect(), el, el.parentElement) < 1) continue;
    const em = parseFloat(getComputedStyle(el).fontSize);
    smallest = Math.min(smallest, em * scale);
    add(valuePieces(el).filter((p) => p.rect.bottom <= el.getBoundingClientRect().bottom + EDGE).map((p) => ({ ...p, text: cased(p.text, el), barrier: el, block: el, em })));
  }
  for (const el of document.querySelectorAll("body *")) for (const side of ["::before", "::after"]) {
    const content = getComputedStyle(el, side).content;
    if (/[\p{L}\p{N}\/›»•]/u.test(content.replace(/^(none|normal|counter.*|attr.*|url.*)$/, "")) && visible(el)) complaints.push(`text of the style sheet: ${el.className} ${content}`);
  }
  const elements = things().filter((t) => whole(t) === 1).map((t) => ({ role: t.role, box: out(t.rect), text: t.text, states: t.states }));
  return { texts: texts.map((l) => ({ text: l.text, box: out(l.rect) })), elements, complaints: [...new Set(complaints)], smallest };
}
