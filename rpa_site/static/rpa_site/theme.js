/* Light or dark before the first paint: what was chosen here, else what the system says. */
(function () {
  var system = matchMedia("(prefers-color-scheme: dark)");
  function show() {
    var chosen = null;
    try { chosen = localStorage.getItem("theme"); } catch (error) { chosen = null; }
    var dark = chosen ? chosen === "dark" : system.matches;
    document.documentElement.setAttribute("data-bs-theme", dark ? "dark" : "light");
    document.documentElement.classList.toggle("dark-mode", dark); // as the API's docs call it
  }
  show();
  system.addEventListener("change", function () {
    show();
    document.dispatchEvent(new CustomEvent("surehand:theme"));
  });
})();
