/* Light or dark before the first paint: what was chosen here, else what the system says. */
(function () {
  var chosen = null;
  try { chosen = localStorage.getItem("theme"); } catch (error) { chosen = null; }
  var dark = chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  document.documentElement.setAttribute("data-bs-theme", dark ? "dark" : "light");
  document.documentElement.classList.toggle("dark-mode", dark); // as the API's docs call it
})();
