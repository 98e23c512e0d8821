// Shows the parameters that the chosen action takes, and the target where it has one.
function update(select) {
  const takes = (select.getAttribute(`data-takes-${select.value}`) ?? "").split(" ");
  for (const row of document.querySelectorAll("[class*='field-param_']")) {
    const name = [...row.classList].find((c) => c.startsWith("field-param_")).slice("field-param_".length);
    row.hidden = !takes.includes(name);
  }
  const target = document.querySelector(".field-target");
  if (target) target.hidden = select.getAttribute(`data-target-${select.value}`) === "none";
}

document.addEventListener("DOMContentLoaded", () => {
  const select = document.querySelector("select[data-action-type]");
  if (!select) return;
  select.addEventListener("change", () => update(select));
  update(select);
});
