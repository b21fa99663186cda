// What the page does beyond htmx. Everything here makes something quicker or
// safer that works without it too.
(() => {
  "use strict";
  const $ = (sel, root = document) => root.querySelector(sel);
  const $$ = (sel, root = document) => [...root.querySelectorAll(sel)];
  const form = () => $("#tester");
  const text = () => $("textarea#robots:not([readonly])");

  // A click with a modifier key opens a tab; htmx would swallow it.
  document.addEventListener("click", (e) => {
    if ((e.ctrlKey || e.metaKey || e.shiftKey) && e.target.closest("a[href]")) e.stopPropagation();
  }, true);

  // ---- Cells -------------------------------------------------------------

  // Cells that are links carry no hx- attributes: a table of two thousand of
  // them stays light.
  document.addEventListener("click", (e) => {
    const cell = e.target.closest("a[data-cell]");
    if (!cell || e.defaultPrevented || e.button || e.ctrlKey || e.metaKey || e.shiftKey || e.altKey) return;
    e.preventDefault();
    follow = true;
    htmx.ajax("GET", cell.href, { source: cell, target: "#result", swap: "innerHTML" });
  });
  document.addEventListener("click", (e) => {
    if (e.target.closest("button[data-cell]")) follow = true;
  });

  // Arrow keys move between cells.
  const steps = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
  document.addEventListener("keydown", (e) => {
    const cell = e.target.closest?.("[data-cell]");
    const step = steps[e.key];
    if (!cell || !step || e.ctrlKey || e.metaKey || e.altKey) return;
    const td = cell.parentElement;
    let row = td.parentElement;
    let next = step[1] < 0 ? td.previousElementSibling : step[1] > 0 ? td.nextElementSibling : null;
    while (step[0] && !next) {
      row = step[0] < 0 ? row.previousElementSibling : row.nextElementSibling;
      if (!row) return;
      const same = row.cells[td.cellIndex];
      if (same && $("[data-cell]", same)) next = same;
    }
    const target = next && $("[data-cell]", next);
    if (target) {
      e.preventDefault();
      target.focus();
    }
  });

  // When a person opens a cell, the line that wins comes into view, inside
  // the editor only. A test while typing moves nothing.
  let follow = false;
  const showWinner = () => {
    const line = $("#origin #outcome")?.dataset.wins;
    const box = $("#editor");
    const at = line && $("#L" + line);
    if (!box || !at) return;
    const top = at.offsetTop - box.clientTop;
    if (top < box.scrollTop + 24 || top > box.scrollTop + box.clientHeight - 48) {
      box.scrollTop = top - box.clientHeight / 3;
    }
  };

  // ---- The editor ---------------------------------------------------------

  // Line numbers follow the text at once; the marks follow with the answer.
  const renumber = () => {
    const area = text();
    const gutter = $("#gutter");
    if (!area || !gutter) return;
    const lines = area.value.split("\n");
    while (gutter.children.length > lines.length) gutter.lastElementChild.remove();
    for (let n = gutter.children.length + 1; n <= lines.length; n++) {
      const a = document.createElement("a");
      a.id = "L" + n;
      a.href = "#L" + n;
      a.tabIndex = -1;
      a.textContent = n;
      gutter.append(a);
    }
    if (!CSS.supports("field-sizing", "content")) {
      area.rows = lines.length;
      area.cols = Math.min(lines.reduce((m, l) => Math.max(m, l.length), 20), 2000) + 2;
    }
  };

  // typed is what a person wrote; given is what the server sent last.
  let given = text()?.value ?? "";
  let mine = null; // {path, text}: own text that a fetch replaced
  const typed = () => text() && text().value !== given && text().value.trim() !== "";

  const retest = () => form() && htmx.trigger(text() ?? form(), "change");
  document.addEventListener("input", (e) => {
    if (e.target === text()) renumber();
  });

  // Opening a file puts its text into the editor.
  document.addEventListener("change", async (e) => {
    if (e.target.id !== "file") return;
    e.stopPropagation();
    const file = e.target.files[0];
    if (!file) return;
    const area = text();
    area.value = (await file.text()).replaceAll("\0", "\ufffd");
    e.target.value = "";
    area.dispatchEvent(new Event("input", { bubbles: true }));
    area.focus();
    area.setSelectionRange(0, 0);
  }, true);

  // ---- The form -----------------------------------------------------------

  document.addEventListener("htmx:config:request", (e) => {
    const { request, sourceElement } = e.detail.ctx;
    const body = request.body;
    if (!(body instanceof FormData)) return;
    body.delete("file"); // an empty file field would be sent as text
    const pressed = sourceElement.name === "do" ? sourceElement.value : "test";
    // An emptied editor is not a wish to fetch: only the button is.
    if (pressed === "test" && sourceElement.id !== "share" && (body.get("robots") ?? "") === "" && !body.get("outcome")) body.delete("site");
  });

  document.addEventListener("keydown", (e) => {
    if (e.key !== "Enter" || e.isComposing) return;
    if (e.target.id === "site") {
      e.preventDefault();
      $("#fetch")?.click();
    }
    if (e.target.id === "other") {
      e.preventDefault();
      addOther();
    }
  });
  document.addEventListener("click", (e) => {
    if (e.target.closest("#add")) {
      e.preventDefault();
      e.stopPropagation();
      addOther();
    }
    const abort = e.target.closest("[data-abort]");
    if (abort) {
      for (const b of ["#fetch", "#refetch"]) $(b)?.dispatchEvent(new CustomEvent("htmx:abort"));
      $("#fetch")?.focus();
    }
  }, true);

  // ---- Crawlers -----------------------------------------------------------

  const boxes = (value) => $$('input[type="checkbox"][name="crawler"]').filter((b) => b.value.toLowerCase() === value.toLowerCase());

  // A crawler ticked in the list gets a chip on the card; both stay in step.
  document.addEventListener("change", (e) => {
    const box = e.target;
    if (box.name !== "crawler" || box.type !== "checkbox") return;
    const same = boxes(box.value);
    if (box.checked && box.closest(".picker") && same.length === 1) {
      const chip = box.closest(".chip").cloneNode(true);
      $("input", chip).checked = true;
      $("#chips").append(chip);
    }
    for (const b of same) b.checked = box.checked;
  }, true);

  const addOther = () => {
    const field = $("#other");
    const names = field.value.includes("(") ? [field.value] : field.value.split(",");
    for (const raw of names) {
      const name = raw.trim();
      if (!name) continue;
      const known = boxes(name);
      if (known.length) {
        known[0].checked = true;
        known[0].dispatchEvent(new Event("change", { bubbles: true }));
        continue;
      }
      const chip = $("#chips .chip").cloneNode(true);
      const box = $("input", chip);
      box.value = name;
      box.checked = true;
      box.setAttribute("checked", "");
      $("span", chip).textContent = name;
      $("small", chip).textContent = name === "*" ? "" : form().dataset.chosen;
      $("#chips").append(chip);
    }
    field.value = "";
    filter();
    field.focus();
    retest();
  };

  // Search as you type.
  const filter = () => {
    const field = $("#other");
    const want = field.value.trim().toLowerCase();
    let shown = 0;
    for (const group of $$("#picker-groups fieldset")) {
      let any = false;
      for (const chip of $$(".chip", group)) {
        const hit = chip.textContent.toLowerCase().includes(want) || $("legend", group).textContent.toLowerCase().includes(want);
        chip.hidden = !hit;
        any ||= hit;
        shown += hit;
      }
      group.hidden = !any;
    }
    $("#picker-count").textContent = shown ? "" : form().dataset.none;
  };
  document.addEventListener("input", (e) => {
    if (e.target.id === "other") filter();
  });
  // The field for another name is no test until it is added.
  document.addEventListener("change", (e) => {
    if (e.target.id === "other") e.stopPropagation();
  }, true);
  document.addEventListener("htmx:config:request", (e) => {
    const body = e.detail.ctx.request.body;
    const other = $("#other")?.value;
    if (!(body instanceof FormData) || !other) return;
    const all = body.getAll("crawler").filter((c) => c !== other);
    body.delete("crawler");
    for (const c of all) body.append("crawler", c);
  });
  document.addEventListener("toggle", (e) => {
    if (e.target.id === "picker" && e.target.open) $("#other").focus();
  }, true);

  // ---- Answers --------------------------------------------------------------

  const notice = (sentence, button, act) => {
    const p = document.createElement("p");
    p.className = "notice";
    p.setAttribute("role", "alert");
    p.append(sentence, " ");
    if (button) {
      const b = document.createElement("button");
      b.type = "button";
      b.className = "quiet small";
      b.textContent = button;
      b.addEventListener("click", act);
      p.append(b);
    }
    $("#notice")?.replaceChildren(p);
  };

  document.addEventListener("htmx:before:request", (e) => {
    if (["fetch", "refetch"].includes(e.detail.ctx.sourceElement.id)) busy = true;
  });
  let busy = false; // a fetch is on its way
  let stale = false; // something was changed meanwhile
  document.addEventListener("input", () => { stale = busy; });
  document.addEventListener("htmx:finally:request", (e) => {
    if (["fetch", "refetch"].includes(e.detail.ctx.sourceElement.id)) busy = false;
  });

  let sent = ""; // the text before a swap
  document.addEventListener("htmx:before:swap", () => {
    sent = typed() ? text().value : "";
  });
  document.addEventListener("htmx:after:swap", (e) => {
    const source = e.detail.ctx.sourceElement;
    const area = text();
    if (area && ["fetch", "refetch"].includes(source.id) && $("#err-site").textContent.trim() === "") {
      given = area.value;
      if (sent && sent !== given) {
        mine = { path: "/", text: sent };
        notice(form().dataset.undo, form().dataset.undoButton, () => {
          $("#notice").replaceChildren();
          putBack(mine.text);
        });
      }
      if (stale) {
        stale = false;
        retest();
      }
    }
    if (follow) {
      follow = false;
      showWinner();
    }
    if (source.id === "share") copy($("#shared-url"));
    keep();
  });
  document.addEventListener("htmx:error", () => notice(form()?.dataset.offline ?? ""));

  const putBack = (value) => {
    const area = text();
    area.value = value;
    area.dispatchEvent(new Event("input", { bubbles: true }));
    area.focus();
  };

  // ---- Copy -----------------------------------------------------------------

  const copy = async (field) => {
    if (!field) return;
    field.select();
    const button = $(`[data-copy="#${field.id}"]`);
    try {
      await navigator.clipboard.writeText(field.value);
      if (button && form()) button.textContent = form().dataset.copied;
      else if (button) button.textContent += " ✓";
    } catch {
      // Not allowed: the link stands there, selected.
    }
  };
  document.addEventListener("click", (e) => {
    const button = e.target.closest("[data-copy]");
    if (button) copy($(button.dataset.copy));
  });

  // ---- Nothing typed is lost --------------------------------------------------

  // What was typed is kept in this tab, so that a reload and "back" find it.
  const key = "typed";
  const keep = () => {
    try {
      if (!typed() || $("#origin #outcome")?.value && location.search) sessionStorage.removeItem(key);
      else {
        sessionStorage.setItem(key, JSON.stringify({
          path: location.pathname + location.search,
          robots: text().value,
          url: $("#url").value,
          site: $("#site").value,
          crawlers: $$('#chips input:checked').map((b) => b.value),
        }));
      }
    } catch {
      // No storage, or none left: the page works without.
    }
  };
  addEventListener("pagehide", keep);

  const restore = () => {
    const nav = performance.getEntriesByType("navigation")[0];
    if (!text() || !nav || !["reload", "back_forward"].includes(nav.type)) return;
    let was = null;
    try {
      was = JSON.parse(sessionStorage.getItem(key));
    } catch {
      return;
    }
    if (!was || was.path !== location.pathname + location.search) return;
    text().value = was.robots;
    $("#url").value = was.url;
    $("#site").value = was.site;
    for (const b of $$('#chips input[type="checkbox"]')) b.checked = was.crawlers.includes(b.value);
    for (const c of was.crawlers) {
      const b = boxes(c)[0];
      if (b && !b.checked) {
        b.checked = true;
        b.dispatchEvent(new Event("change", { bubbles: true }));
      } else if (!b) {
        $("#other").value = c;
        addOther();
      }
    }
    text().dispatchEvent(new Event("input", { bubbles: true }));
  };

  // A step back within the page asks the server for that page anew; it must
  // not replace what was typed since.
  document.addEventListener("htmx:before:history:restore", (e) => {
    if (typed() && !$("#origin #outcome")?.value) e.preventDefault();
  });
  document.addEventListener("htmx:after:history:restore", () => {
    given = text()?.value ?? "";
    if (mine && location.pathname + location.search === mine.path) putBack(mine.text);
  });

  addEventListener("load", () => {
    restore();
    renumber();
    showWinner();
  });
})();
