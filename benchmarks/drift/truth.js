// Tags the controls of the window in front, changes the page as asked, and says where each control is then.
// Numbers are given in the order of the document before any change: the same page has the same numbers in every dress.
(ops) => {
  const scale = devicePixelRatio;
  const TYPED = new Set(["text", "search", "email", "tel", "url", "number", "password", "date", "time", ""]);
  document.head.insertAdjacentHTML("beforeend", "<style>*{pointer-events:auto !important}</style>");
  const desk = document.querySelector(".x-desk"), front = document.querySelector(".x-front"), client = front.querySelector(".x-client");
  const ROLES = [
    ["tab", "[role=tab]"], ["menu_item", "[role=menuitem]"], ["checkbox", "input[type=checkbox]"], ["radio", "input[type=radio]"],
    ["field", "input, textarea, select"], ["button", "button, [role=button], [data-role=button], a.page-link, a.pagination-link, a.x-page"], ["link", "a[href]"],
  ];
  const CONTROLS = ROLES.map(([, css]) => css).join(",");
  const words = (el) => (el.innerText ?? "").replace(/\s+/g, " ").trim();
  const isChoice = (el) => el.matches("[type=checkbox],[type=radio]");
  const holder = (el) => isChoice(el) ? el.closest(".form-check,label,.ui.checkbox") ?? el.parentElement
    : el.matches("input,textarea,select") ? el.closest(".x-field,.mb-2,.field,.form-group") ?? el
    : el.matches("[role=tab],[role=menuitem],.page-link,.pagination-link") ? el.closest("li") ?? el : el;
  const labelOf = (el) => {
    const at = holder(el);
    return isChoice(el) ? (at.matches("label") ? at : at.querySelector("label")) : at === el ? null : at.querySelector("label");
  };
  const nameOf = (el) => el.matches("input,textarea,select") ? (labelOf(el) ? words(labelOf(el)) : "") : words(el);
  const roleOf = (el) => {
    const role = ROLES.find(([, css]) => el.matches(css))[0];
    return (role === "button" || role === "menu_item" || role === "link") && !words(el) ? "icon" : role;
  };
  const drawnBox = (el) => {
    const rect = el.getBoundingClientRect();
    if (!isChoice(el)) return rect;
    const drawn = el.parentElement.querySelector("[data-box]");
    if (drawn) return drawn.getBoundingClientRect();
    const label = el.nextElementSibling, css = label && getComputedStyle(label, "::before");
    if (!label || css.content === "none") return rect;
    const at = label.getBoundingClientRect();
    return new DOMRect(at.left + parseFloat(css.left), at.top + parseFloat(css.top), parseFloat(css.width), parseFloat(css.height));
  };
  const visible = (el) => el.checkVisibility({ opacityProperty: true, visibilityProperty: true, contentVisibilityAuto: true });
  const clipped = (rect, el) => {
    let [l, t, r, b] = [Math.max(rect.left, 0), Math.max(rect.top, 0), Math.min(rect.right, innerWidth), Math.min(rect.bottom, innerHeight)];
    for (let up = el.parentElement; up && up !== document.documentElement; up = up.parentElement) {
      const style = getComputedStyle(up);
      if (style.overflowX === "visible" && style.overflowY === "visible") continue;
      const box = up.getBoundingClientRect(), x = box.left + up.clientLeft, y = box.top + up.clientTop;
      l = Math.max(l, x); t = Math.max(t, y); r = Math.min(r, x + up.clientWidth); b = Math.min(b, y + up.clientHeight);
    }
    return Math.max(0, r - l) * Math.max(0, b - t) / Math.max(rect.width * rect.height, 1e-6);
  };
  // The share of the control that a click reaches; what lies over it, see-through or not, takes the click.
  const reach = (el, rect) => {
    const own = isChoice(el) ? holder(el) : el, part = clipped(rect, el);
    if (part < 0.02) return 0;
    const points = [];
    for (const fx of [0.1, 0.3, 0.5, 0.7, 0.9]) for (const fy of [0.2, 0.5, 0.8]) points.push([rect.left + fx * rect.width, rect.top + fy * rect.height]);
    const hits = points.filter(([x, y]) => { const hit = document.elementFromPoint(x, y); return hit && (own.contains(hit) || hit.contains(own)); });
    return Math.min(part > 0.97 ? 1 : part, hits.length / points.length);
  };
  const out = (rect) => {
    const x = Math.floor(rect.left * scale), y = Math.floor(rect.top * scale);
    return [x, y, Math.ceil(rect.right * scale) - x, Math.ceil(rect.bottom * scale) - y];
  };
  const rowOf = (el) => el.closest("tbody tr, [data-row]");
  const cellsOf = (row) => [...(row.matches("tr") ? row.children : row.querySelectorAll("[data-cell]"))].map(words);

  const all = [...client.querySelectorAll(CONTROLS)].filter((el) => el.type !== "hidden");
  const off = (el) => el.disabled || el.getAttribute("aria-disabled") === "true" || el.classList.contains("disabled");
  const byId = (id) => all[id];
  const random = (seed) => () => { seed = (seed * 1664525 + 1013904223) >>> 0; return seed / 4294967296; };
  const shuffled = (list, seed) => {
    const next = random(seed), made = [...list];
    for (let i = made.length - 1; i > 0; i--) { const j = Math.floor(next() * (i + 1)); [made[i], made[j]] = [made[j], made[i]]; }
    return made.every((one, i) => one === list[i]) && list.length > 1 ? made.reverse() : made;
  };
  const textNodes = (el) => {
    const walker = document.createTreeWalker(el, NodeFilter.SHOW_TEXT), found = [];
    for (let node = walker.nextNode(); node; node = walker.nextNode()) if (node.data.trim() && !node.parentElement.closest("svg,style,option")) found.push(node);
    return found;
  };
  const setText = (el, text) => {
    const nodes = textNodes(el).sort((a, b) => b.data.length - a.data.length);
    if (nodes.length) nodes[0].data = nodes[0].data.replace(nodes[0].data.trim(), text);
    return nodes.length > 0;
  };
  const anonymous = (copy) => { copy.querySelectorAll?.("[name]").forEach((el) => el.removeAttribute("name")); return copy; };
  const twins = [];
  const counterpart = (copy, block, el) => block === el ? copy : copy.querySelectorAll("*")[[...block.querySelectorAll("*")].indexOf(el)];
  const done = {};
  const DO = {
    remove: ({ id, hole }) => { const at = holder(byId(id)); if (hole) at.style.setProperty("visibility", "hidden", "important"); else at.remove(); },
    disable: ({ id }) => {
      const el = byId(id), at = holder(el);
      el.disabled = true; el.setAttribute("aria-disabled", "true"); el.tabIndex = -1;
      if (at.matches("li")) at.classList.add("disabled");
      if (el.matches("a")) el.style.opacity = ".45";
    },
    rename: ({ id, text }) => { const el = byId(id); return setText(labelOf(el) ?? el, text); },
    // another control of the same size: other words, another picture
    replace: ({ id, text, svg }) => {
      const el = byId(id), rect = el.getBoundingClientRect();
      if (svg) { const old = el.querySelector("svg"), box = document.createElement("span"); if (!old) return false; box.innerHTML = svg; old.replaceWith(box.firstChild); return true; }
      const said = setText(labelOf(el) ?? el, text);
      if (!el.matches("input,textarea,select")) Object.assign(el.style, { width: rect.width + "px", height: rect.height + "px", boxSizing: "border-box", paddingLeft: "0", paddingRight: "0", textAlign: "center", overflow: "hidden", whiteSpace: "nowrap", justifyContent: "center" });
      return said;
    },
    order: ({ seed }) => {
      const groups = new Map();
      for (const el of all) {
        if (!el.matches("button,[role=tab],[role=menuitem]") || rowOf(el)) continue;
        const at = holder(el); if (!groups.has(at.parentElement)) groups.set(at.parentElement, []);
        groups.get(at.parentElement).push(at);
      }
      for (const [parent, items] of groups) {
        if (items.length < 2) continue;
        const marks = items.map((item) => { const mark = document.createComment(""); item.replaceWith(mark); return mark; });
        shuffled(items, seed).forEach((item, i) => marks[i].replaceWith(item));
      }
    },
    twin: ({ id, place, title, html }) => {
      const el = byId(id), block = holder(el), copy = anonymous(block.cloneNode(true)), main = client.querySelector(".x-main");
      const card = document.createElement("div"); card.className = "x-card"; card.style.cssText = "width:fit-content;min-width:30%;margin:.4em 0 .8em";
      card.innerHTML = `<h4>${title}</h4>${html}`; card.append(copy);
      if (place === "start") main.prepend(card); else (client.querySelector("[data-filler]") ?? main).before(card);
      twins.push([id, counterpart(copy, block, el)]);
    },
    // the same thing twice: its block again, above it, where the block was
    double: ({ id, notice }) => {
      const el = byId(id); let block = holder(el);
      while (block.parentElement && !block.parentElement.matches(".x-main,.x-root,.x-side,.x-body,tbody,form") && textNodes(block).length < 2) block = block.parentElement;
      if (block.parentElement.matches(".x-root,.x-body") || block.matches(".x-main")) return false;
      const copy = anonymous(block.cloneNode(true)); block.before(copy); twins.push([id, counterpart(copy, block, el)]);
      client.querySelector(".x-main").insertAdjacentHTML("afterbegin", notice); // neither stands where it stood
      return true;
    },
    doubleRow: ({ id }) => { const row = rowOf(byId(id)), copy = anonymous(row.cloneNode(true)); row.before(copy); twins.push([id, counterpart(copy, row, byId(id))]); },
    // two windows of the same program, side by side, neither where it was
    doubleWindow: ({ ids, left, right, top }) => {
      const copy = anonymous(front.cloneNode(true)); copy.classList.remove("x-front"); desk.append(copy);
      for (const id of ids) twins.push([id, counterpart(copy, front, byId(id))]);
      Object.assign(front.style, { left: left + "px", top: top + "px" }); Object.assign(copy.style, { left: right + "px", top: top + "px" });
    },
    rows: ({ seed, fresh, drop }) => {
      for (const row of drop.map((id) => rowOf(byId(id)))) row.remove();
      const next = random(seed), bodies = new Set(all.map(rowOf).filter((row) => row?.isConnected).map((row) => row.parentElement));
      for (const body of bodies) {
        let rows = [...body.children].filter((row) => row.matches("tr,[data-row]"));
        for (const texts of fresh) {
          const copy = anonymous(rows[Math.floor(next() * rows.length)].cloneNode(true));
          [...(copy.matches("tr") ? copy.children : copy.querySelectorAll("[data-cell]"))].forEach((cell, i) => {
            if (i < texts.length && texts[i] && !cell.querySelector("button,select,[type=checkbox]")) setText(cell, texts[i]);
          });
          rows.splice(Math.floor(next() * Math.min(rows.length, 6)), 0, copy);
        }
        const head = shuffled(rows.slice(0, 12), seed);
        for (const row of [...head, ...rows.slice(12)]) body.append(row);
      }
    },
    // what is typed and counted is other data; words that name things stay
    data: ({ seed, values }) => {
      const next = random(seed), digit = (text) => text.replace(/\d/g, () => Math.floor(next() * 9) + 1);
      let used = 0;
      for (const el of all) if (el.matches("input,textarea") && TYPED.has(el.type ?? "") && el.value && !["date", "number", "time"].includes(el.type)) el.value = /\d/.test(el.value) ? digit(el.value) : values[used++ % values.length];
        else if (el.matches("select")) el.selectedIndex = (el.selectedIndex + 1) % el.options.length;
        else if (el.type === "number") el.value = digit(el.value);
      for (const node of textNodes(client)) {
        const up = node.parentElement;
        if (up.closest("button,[role=tab],[role=menuitem],th,label,.pagination,.x-pages")) continue;
        if (/\d/.test(node.data)) node.data = digit(node.data);
        else if (up.closest("td,.x-fact span,.x-right,[data-cell]") && node.data.trim().length > 4) node.data = values[used++ % values.length];
      }
    },
    scroll: ({ by }) => { const main = client.querySelector(".x-main"); main.scrollTop = by * (main.scrollHeight - main.clientHeight); },
    // another program's window over these controls
    cover: ({ ids, title, lines, spread }) => {
      const rects = ids.map((id) => byId(id).getBoundingClientRect());
      const l = Math.min(...rects.map((r) => r.left)) - spread[0], t = Math.min(...rects.map((r) => r.top)) - spread[1] - 30;
      const r = Math.max(...rects.map((r) => r.right)) + spread[2], b = Math.max(...rects.map((r) => r.bottom)) + spread[3];
      const x = Math.max(0, Math.round(l)), y = Math.max(0, Math.round(t)), w = Math.min(innerWidth, Math.round(r)) - x, h = Math.min(innerHeight - 30, Math.round(b)) - y;
      const win = document.createElement("div"); win.className = "x-win"; win.style.cssText = `left:${x}px;top:${y}px;width:${w}px;height:${h}px;z-index:90;background:#fff;color:#222`;
      const signs = front.querySelector(".x-title").innerHTML.replace(/^<span>.*?<\/span>/, "");
      win.innerHTML = `<div class="x-title"><span>${title}</span>${signs}</div><div class="x-client" style="padding:.6em;overflow:hidden;background:#fff">${lines.map((line) => `<p style="margin:.2em 0">${line}</p>`).join("")}</div>`;
      desk.append(win); done.window = out(new DOMRect(x, y, w, h)); done.title = title;
    },
    html: ({ html }) => { client.querySelector(".x-root").insertAdjacentHTML("beforeend", html); },
    field: ({ id, value }) => { byId(id).value = value; },
  };
  done.ok = ops.map((op) => DO[op.op](op) !== false);
  const report = (el, id) => {
    const there = el.isConnected && visible(isChoice(el) ? el.parentElement : el), rect = there ? drawnBox(el) : new DOMRect();
    const label = isChoice(el) && there ? labelOf(el)?.getBoundingClientRect() : null, row = rowOf(el);
    return {
      id, role: roleOf(el), name: nameOf(el), box: there ? out(rect) : [0, 0, 0, 0], label: label && label.width ? out(label) : null,
      reach: there && rect.width >= 4 && rect.height >= 4 ? reach(el, rect) : 0, off: !!off(el), cells: row && row.isConnected ? cellsOf(row) : [],
      scrolls: !!el.closest(".x-main"), grouped: !rowOf(el) && el.matches("button,[role=tab],[role=menuitem]") && [...holder(el).parentElement?.children ?? []].length > 1,
      worded: !el.matches("input,textarea,select") && words(el).length > 1 || !!labelOf(el), data: !!el.closest("td,.x-hit,.x-cal,.x-text") && el.matches("a"), checked: !!el.checked,
      over: !!el.closest(".x-under,.x-modal,.modal"), chosen: el.getAttribute("aria-selected") === "true" || el.hasAttribute("aria-current"),
    };
  };
  const at = front.getBoundingClientRect();
  return { ...done, window: done.window ?? out(at), controls: all.map(report), twins: twins.map(([id, el]) => ({ ...report(el, id), id })) };
}
