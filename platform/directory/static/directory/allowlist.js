// Says, while an allowlist is made, how many tools it reaches and what the router switch saves; finds tools by name.
"use strict";

document.addEventListener("DOMContentLoaded", () => {
  const picker = document.querySelector("[data-allowlist]");
  if (!picker) return;
  const said = picker.querySelector(".atrium-count");
  const lines = picker.querySelector("textarea");
  const search = picker.querySelector(".atrium-search");
  const everything = picker.querySelector('input[value="*"]');
  const tools = [...picker.querySelectorAll(".atrium-picker input[type=checkbox]")];
  const field = (name) => document.querySelector(`[name="${name}"]`);
  const address = new URL(location.pathname.replace(/(add|[^/]+\/change)\/$/, "reach/"), location.origin);
  let timer = 0;
  let last = 0;

  const show = (found) => {
    if (found.count === null) {
      said.textContent = "Choose a tenant to see what the list reaches.";
      return;
    }
    const names = found.names.join(", ") + (found.count > found.names.length ? ", …" : "");
    said.textContent = `Reaches ${found.count} of ${found.total} tools${names && ": "}${names}.`;
    if (found.listed !== undefined) {
      said.textContent += ` Their list costs a model ${found.listed} tokens; as a router key it costs ${found.routed}.`;
    } else {
      said.textContent += " Choose an owner to see what the list costs a model.";
    }
  };

  const ask = async () => {
    const turn = ++last;
    const ticked = tools.filter((tool) => tool.checked && !tool.disabled).map((tool) => tool.value);
    const entries = [...(everything.checked ? ["*"] : []), ...ticked, lines.value.replaceAll(",", "\n")];
    address.search = new URLSearchParams({
      entries: entries.join("\n"),
      tenant: field("tenant")?.value ?? picker.dataset.tenant ?? "",
      owner: field("owner")?.value ?? picker.dataset.owner ?? "",
    });
    const answer = await fetch(address, { headers: { Accept: "application/json" } });
    if (answer.ok && turn === last) show(await answer.json());
  };

  const cover = () => {
    for (const tool of tools) {
      tool.disabled = everything.checked;
      tool.checked = everything.checked || tool.ownTick;
    }
  };

  const soon = () => {
    clearTimeout(timer);
    timer = setTimeout(ask, 200);
  };

  const find = () => {
    const wanted = search.value.trim().toLowerCase();
    for (const group of picker.querySelectorAll(".atrium-picker fieldset")) {
      for (const label of group.querySelectorAll("label")) label.hidden = !label.textContent.includes(wanted);
      group.hidden = !group.querySelector("label:not([hidden])");
    }
  };

  search.hidden = tools.length < 12;
  search.addEventListener("input", find);
  lines.addEventListener("input", soon);
  for (const tool of tools) tool.ownTick = tool.checked;
  picker.addEventListener("change", ({ target }) => {
    if (tools.includes(target)) target.ownTick = target.checked;
    cover();
    soon();
  });
  for (const name of ["tenant", "owner"]) field(name)?.addEventListener("change", soon);
  // The owner's list of choices speaks jQuery.
  window.django?.jQuery?.(document).on("change", "[name=owner], [name=tenant]", soon);
  cover();
  soon();
});
