// What the page does beyond htmx. Everything here makes something quicker or
// safer that works without it too.
(() => {
  "use strict";
  if (!window.htmx) return;
  const $ = (sel, root = document) => root.querySelector(sel);
  const $$ = (sel, root = document) => [...root.querySelectorAll(sel)];
  const form = () => $("#tester");
  const text = () => $("textarea#robots:not([readonly])"); // none on a share
  const here = () => location.pathname + location.search;
  const retest = () => htmx.trigger(form(), "retest");
  const plain = (e) => !(e.button || e.ctrlKey || e.metaKey || e.shiftKey || e.altKey); // a click, not "in a new tab"

  // ---- Cells -------------------------------------------------------------

  // Cells carry no hx- attributes: htmx would prepare two thousand of them one
  // by one. The tester posts its form, so that what was typed a moment ago
  // counts; the address comes with the answer. The other pages of a table are
  // reached in the same way.
  let follow = false; // the next answer brings the winning line into view,
  let opened = false; // and the explanation of a cell,
  let turned = false; // or is another page
  document.addEventListener("click", (e) => {
    const to = e.target.closest("[data-cell], [data-page]");
    if (!to || !plain(e)) return;
    const name = to.dataset.cell ? "cell" : "page";
    const value = to.dataset[name];
    follow = opened = name === "cell";
    turned = name === "page";
    if (text()) remember(name, value);
    e.preventDefault();
    const how = { source: to, target: "#result", swap: turned ? "innerHTML" : "innerMorph" };
    if (text()) htmx.ajax("POST", "/test", { ...how, values: { [name]: value } });
    else htmx.ajax("GET", to.href.replace(/#.*/, ""), how);
  });

  // A fix is made by the server, which sends the new text.
  let fixing = false;
  document.addEventListener("click", (e) => {
    const button = e.target.closest("[data-fix]");
    if (!button) return;
    e.preventDefault();
    fixing = true;
    htmx.ajax("POST", "/test", { source: form(), target: "#result", swap: "innerMorph", values: { fix: button.dataset.fix } });
  });

  // A test that overtakes the click asks for the same.
  const remember = (name, value) => {
    let field = $(`#result > input[name="${name}"]`);
    if (!field) {
      field = document.createElement("input");
      field.type = "hidden";
      field.name = name;
      $("#result").prepend(field);
    }
    field.value = value;
  };

  const edge = 8; // pixels between what is in view and the edge

  // A cell that somebody chose, or came to with the keyboard, comes into view
  // beside the table's heads, inside its box only.
  const showCell = (e = $('#result > input[name="cell"]') && $("#matrix [aria-current]")) => {
    if (!e) return;
    const table = $("#result .scroll");
    const box = table.getBoundingClientRect();
    const cell = e.getBoundingClientRect();
    const top = box.top + $("thead", table).offsetHeight;
    const left = box.left + $("tbody th", table).offsetWidth;
    const by = (start, end, from, to) => (start < from ? start - from : Math.max(0, end - to));
    table.scrollTop += by(cell.top - edge, cell.bottom + edge, top, box.top + table.clientHeight);
    table.scrollLeft += by(cell.left - edge, cell.right + edge, left, box.left + table.clientWidth);
  };

  document.addEventListener("focusin", (e) => {
    if (e.target.matches("[data-cell]:focus-visible")) showCell(e.target);
  });

  // The explanation comes into view, below what stays there too: where its first
  // sentence cannot be seen, the page moves as far as it takes to see all of it.
  const showWhy = (above) => {
    const why = $("#why");
    if (!why) return;
    const head = $("h3", why).getBoundingClientRect();
    if (head.top >= 0 && head.bottom <= innerHeight) return;
    const all = why.getBoundingClientRect().bottom + edge - innerHeight;
    scrollBy(0, head.top < 0 ? head.top - edge : Math.min(all, above.getBoundingClientRect().top - edge));
  };

  // Another page of the table is read from its top.
  const showTop = () => {
    turned = false;
    const heading = $("#h-verdicts");
    $("#result .scroll")?.focus({ preventScroll: true });
    if (heading.getBoundingClientRect().top < 0) heading.scrollIntoView();
    showWhy(heading);
  };

  // Arrow keys move between cells.
  const steps = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
  document.addEventListener("keydown", (e) => {
    const cell = e.target.closest("[data-cell]");
    const step = steps[e.key];
    if (!cell || !step || e.ctrlKey || e.metaKey || e.altKey) return;
    const td = cell.parentElement;
    let row = td.parentElement;
    let next = step[1] < 0 ? td.previousElementSibling : step[1] > 0 ? td.nextElementSibling : null;
    while (step[0] && !next) {
      row = step[0] < 0 ? row.previousElementSibling : row.nextElementSibling;
      if (!row) break;
      const same = row.cells[td.cellIndex]; // a row without verdicts has none
      if (same && $("[data-cell]", same)) next = same;
    }
    e.preventDefault();
    (next && $("[data-cell]", next))?.focus();
  });

  // The line that wins comes into view, inside the editor only.
  const showWinner = () => {
    follow = false;
    const box = $("#editor") ?? $("#excerpt");
    const at = number(+$("#outcome")?.dataset.wins);
    if (!box || !at) return;
    const top = at.getBoundingClientRect().top - box.getBoundingClientRect().top + box.scrollTop;
    if (top < box.scrollTop + 24 || top > box.scrollTop + box.clientHeight - 48) {
      box.scrollTop = top - box.clientHeight / 3;
    }
  };

  // ---- The editor ---------------------------------------------------------

  // A short file has all its numbers and marks on the page. Of a long one they
  // are drawn for what is in view: sixteen thousand of them would be laid out
  // anew with every line typed.
  const whole = 2000; // lines of the longest file that is drawn whole
  const around = 150; // lines drawn above and below the view
  const high = 24; // pixels of a line, as in the style sheet

  let lines = 0; // of the text
  let first = 0; // of the lines drawn, from 0,
  let last = 0; // and the one behind them
  let layers = []; // of a long file: the marks as the server wrote them

  const measure = () => {
    const { value } = $("#robots");
    lines = 1;
    for (let i = value.indexOf("\n"); i >= 0; i = value.indexOf("\n", i + 1)) lines++;
    if (text() && !CSS.supports("field-sizing", "content")) {
      text().rows = lines;
      text().cols = Math.min(value.split("\n").reduce((m, l) => Math.max(m, l.length), 20), 2000) + 2;
    }
  };

  const keepMarks = () => {
    layers = ["#flags", "#marks", "#veil"].map((id) => ({
      layer: $(id),
      runs: [...$(id).children].map((run) => ({ run, lines: run.lastChild.data.split("\n").length - 1 })),
    }));
  };

  // What is in view is noted when it changes: to ask for it between a change
  // and the next frame would lay everything out twice.
  let box = null;
  let view = [0, 0];
  const look = () => {
    const top = Math.floor(box.scrollTop / high);
    view = [top, top + Math.ceil(box.clientHeight / high)];
  };

  const draw = ([top, bottom] = lines > whole ? view : [0, lines]) => {
    if (lines > whole && !layers.length) keepMarks();
    first = Math.max(0, Math.min(top, lines) - around); // the text may have become shorter
    last = Math.min(lines, bottom + around);
    const gutter = $("#gutter");
    const at = lineOf(location.hash);
    gutter.style.minWidth = `max(3rem, ${String(lines).length}ch + 1.5rem)`; // wherever one scrolls
    if ($(".rest", gutter) || gutter.childElementCount > last - first + whole) gutter.replaceChildren();
    while (gutter.childElementCount > last - first) gutter.lastElementChild.remove();
    for (let n = first + 1; n <= last; n++) {
      const a = gutter.children[n - first - 1] ?? gutter.appendChild(document.createElement("a"));
      a.classList.toggle("at", n === at); // what the browser takes for the target may be another line by now
      if (a.id === "L" + n) continue;
      a.id = "L" + n;
      a.href = "#L" + n;
      a.tabIndex = -1;
      a.textContent = n;
    }
    for (const { layer, runs } of layers) {
      let at = 0;
      layer.replaceChildren(...runs.flatMap(({ run, lines: n }) => {
        const begin = Math.max(at, first);
        const end = Math.min(at += n, last);
        if (begin >= end) return [];
        const part = run.cloneNode(begin === at - n); // what a run says stands in its first line
        if (!part.lastChild) part.append("");
        part.lastChild.data = "\n".repeat(end - begin);
        return part;
      }));
    }
    for (const e of [gutter, ...layers.map(({ layer }) => layer)]) {
      e.style.paddingTop = first ? `calc(0.6rem + ${first * high}px)` : "";
    }
  };

  // In a long file the text comes first, and numbers follow in the next frame:
  // what is typed must be on the screen before anything is counted.
  let recount = 0; // a count that is on its way
  document.addEventListener("input", (e) => {
    if (e.target !== text() || recount) return;
    const count = () => {
      recount = 0;
      if (!text()) return;
      const were = lines;
      measure();
      if (lines !== were) draw();
    };
    if (lines > whole) recount = requestAnimationFrame(() => setTimeout(count));
    else count();
  });
  document.addEventListener("scroll", (e) => {
    if (e.target.id !== "editor" || lines <= whole) return;
    look();
    const [top, bottom] = view;
    if (first && top - first < around / 3 || last < lines && last - bottom < around / 3) draw();
  }, true);

  // redraw follows what the server drew.
  const redraw = () => {
    if (box !== $("#editor")) {
      box = $("#editor");
      look();
    }
    layers = [];
    measure();
    draw();
  };

  // number gives the number of a line, drawn if need be.
  const number = (n) => {
    if (n <= lines && lines > whole && (n <= first || n > last)) draw([n - 1, n]);
    const fold = $("#L" + n) ? null : foldOf(n);
    if (fold) unfold(fold);
    return $("#L" + n);
  };

  // A line's link works although its number may not be drawn.
  const lineOf = (href) => +/^#L(\d+)$/.exec(href)?.[1];
  const beyond = (n) => foldOf(n)?.href.replace(/#.*/, "#L" + n);
  document.addEventListener("click", (e) => {
    const n = plain(e) && lineOf(e.target.closest("a")?.getAttribute("href"));
    if (!n || number(n) || !beyond(n)) return;
    e.preventDefault();
    location.assign(beyond(n));
  });
  const toLine = () => {
    const n = lineOf(location.hash);
    const there = $("#L" + n);
    for (const a of $$(".at")) a.classList.remove("at");
    if ($("#editor")) draw();
    if (!n || there) return;
    const at = number(n);
    at?.classList.add("at");
    at?.scrollIntoView();
    if (!at && beyond(n)) location.replace(beyond(n));
  };
  addEventListener("hashchange", toLine);

  // The lines that a share leaves out are shown in their place. Very many are
  // not: their link leads to a page with all lines.
  const kinds = (fold) => fold.dataset.runs.match(/\S+ \d+/g).flatMap((run) => {
    const [kind, n] = run.split(" ");
    return Array(+n).fill(kind);
  });
  const foldOf = (n) => $$("#excerpt a.fold").find((fold) => n >= +fold.dataset.first && n < +fold.dataset.first + kinds(fold).length);
  const unfold = (fold) => {
    const looks = kinds(fold);
    if (looks.length > whole) return false;
    const file = $("#robots").value.split("\n");
    fold.replaceWith(...looks.map((kind, i) => {
      const n = +fold.dataset.first + i;
      const line = document.createElement("div");
      line.dataset.kind = kind;
      line.append(
        Object.assign(document.createElement("a"), { className: "nr", id: "L" + n, href: "#L" + n, tabIndex: -1, textContent: n }),
        Object.assign(document.createElement("span"), { className: "said", textContent: file[n - 1] }),
      );
      return line;
    }));
    return true;
  };
  document.addEventListener("click", (e) => {
    const fold = e.target.closest("#excerpt a.fold");
    if (!fold || !plain(e) || !unfold(fold)) return;
    e.preventDefault();
    $("#excerpt").focus({ preventScroll: true });
  });

  // A whole file that is pasted is looked at as one that is fetched: where it
  // decides, and without the example's URLs, which say nothing about it.
  let pasted = false; // until an answer comes
  document.addEventListener("beforeinput", (e) => {
    if (e.target !== text() || !["insertFromPaste", "insertFromDrop"].includes(e.inputType)) return;
    const { selectionStart, selectionEnd, value } = text();
    pasted = !value.slice(0, selectionStart).trim() && !value.slice(selectionEnd).trim();
  });
  const exampleURLs = () => $("#url").value === $('#tester input[name="example"]')?.dataset.urls;

  // write puts a text into the editor as if it had been typed.
  const write = (robots) => {
    const area = text();
    area.value = robots;
    area.dispatchEvent(new Event("input", { bubbles: true }));
    area.focus({ preventScroll: true });
    area.setSelectionRange(0, 0);
    $("#editor").scrollTop = 0;
  };

  // The server takes 1 MiB of text; one byte more is enough to hear so.
  const enough = (1 << 20) + 1;

  // Opening a file puts its text into the editor. A file that is no UTF-8 text,
  // or holds NUL, is another file as text: it goes to the server as it is, and
  // the page that answers tests its bytes.
  document.addEventListener("change", async (e) => {
    const field = e.target;
    const file = field.id === "file" && field.files[0];
    if (!file) return;
    const part = file.slice(0, enough);
    const robots = decode(await part.arrayBuffer(), file.size > enough);
    if (robots === null) {
      const files = new DataTransfer();
      files.items.add(new File([part], file.name));
      field.files = files.files;
      field.name = "file";
      if (exampleURLs()) $("#url").value = "";
      form().requestSubmit($("#tester button[formenctype]"));
      field.removeAttribute("name");
      field.value = "";
      return;
    }
    const was = own() && read();
    field.value = "";
    $("#outcome").value = "";
    write(robots);
    pasted = true;
    if (was) offer(() => putBack(was));
  });

  // decode gives the text of bytes, its byte order mark included, or null where
  // they are none. Those that were cut may end within a character.
  const decode = (bytes, cut) => {
    try {
      const robots = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes, { stream: cut });
      return robots.includes("\0") ? null : robots;
    } catch {
      return null;
    }
  };

  // ---- The form -----------------------------------------------------------

  document.addEventListener("htmx:config:request", (e) => {
    const { request, sourceElement } = e.detail.ctx;
    const { body } = request;
    if (request.method !== "POST" || !(body instanceof FormData) || !text()) return;
    if (!body.has("crawler")) {
      // Without one the server takes those of the card, which is not what
      // the boxes say.
      e.preventDefault();
      chooseOne();
      return;
    }
    if (sourceElement.id !== "use-stale") body.delete("stale"); // a copy that only its button takes
    e.detail.ctx.pasted = pasted;
    if (pasted && exampleURLs()) body.set("url", ""); // the server gives others
    const robots = body.get("robots");
    if (robots.length > enough) body.set("robots", robots.slice(0, enough));
    // An emptied editor is not a wish to fetch: only the button is.
    const fetches = sourceElement.name === "do" && sourceElement.value !== "test";
    if (robots === "" && !fetches && !(body.get("outcome") && given === "")) body.delete("site");
  });

  document.addEventListener("keydown", (e) => {
    if (e.key !== "Enter" || e.isComposing) return;
    if (e.target.id === "site") {
      e.preventDefault();
      $("#fetch").click();
    }
    if (e.target.type === "checkbox") e.preventDefault(); // it would send the form
    if (e.target.id === "other") {
      e.preventDefault();
      // One crawler fits: that one. Several do: choose among them.
      const name = e.target.value.trim();
      const fit = name && !boxes(name).length ? $$("#picker-groups .chip:not([hidden]) input") : [];
      if (fit.length > 1) fit[0].focus();
      else addOther(fit[0]?.value);
    }
  });
  document.addEventListener("click", (e) => {
    if (!e.target.closest("#add")) return;
    e.preventDefault();
    e.stopPropagation();
    addOther();
  }, true);

  // ---- Crawlers -----------------------------------------------------------

  const boxes = (value) => $$('#tester input[name="crawler"]').filter((b) => b.value.toLowerCase() === value.toLowerCase());

  const line = (className, id, words) => Object.assign(document.createElement("p"), { className, id, textContent: words });

  const chooseOne = () => {
    const words = form().dataset.choose;
    $("#err-crawler").replaceChildren(line("error", "e-crawler", words));
    $("#result").replaceChildren(line("empty", "", words));
    $("#say").textContent = words;
  };

  const addChip = (from, value, purpose) => {
    const chip = from.cloneNode(true);
    const box = $("input", chip);
    box.value = value;
    box.checked = true;
    $("span", chip).textContent = value;
    $("small", chip)?.remove();
    if (purpose) chip.append(Object.assign(document.createElement("small"), { textContent: purpose }));
    $("#chips").append(chip);
  };

  // A crawler ticked in the list gets a chip on the card; both stay in step.
  const inStep = (box) => {
    const same = boxes(box.value);
    if (box.checked && !same.some((b) => b.closest("#chips"))) {
      const chip = box.closest(".chip");
      chip.hidden = false;
      addChip(chip, box.value, chip.closest("fieldset").dataset.purpose);
    }
    for (const b of same) b.checked = box.checked;
    press();
  };
  document.addEventListener("change", (e) => {
    if (e.target.type === "checkbox" && e.target.name === "crawler") inStep(e.target);
  }, true);

  // choose ticks a crawler, known or not.
  const choose = (name) => {
    const box = boxes(name)[0];
    if (box) {
      box.checked = true;
      inStep(box);
      return;
    }
    const { star, unknown } = form().dataset;
    addChip($("#chips .chip"), name, name === "*" ? star : name.includes("(") ? "" : unknown);
  };

  // A button ticks a set of crawlers, and pressed again takes back those that no
  // other pressed set has.
  const members = (button) => button.dataset.preset.split(",");
  const ticked = (name) => boxes(name).some((b) => b.checked);
  const press = () => {
    for (const b of $$("[data-preset]")) b.setAttribute("aria-pressed", members(b).every(ticked));
  };
  document.addEventListener("click", (e) => {
    const button = e.target.closest("[data-preset]");
    if (!button) return;
    e.preventDefault();
    e.stopPropagation();
    const off = button.getAttribute("aria-pressed") === "true";
    const kept = new Set($$('[data-preset][aria-pressed="true"]').filter((b) => b !== button).flatMap(members));
    for (const name of members(button)) {
      if (!off) choose(name);
      else if (!kept.has(name)) for (const b of boxes(name)) b.checked = false;
    }
    press();
    retest();
  }, true);

  const addOther = (known) => {
    const field = $("#other");
    const names = known ? [known] : field.value.includes("(") ? [field.value] : field.value.split(",");
    for (const name of names) if (name.trim()) choose(name.trim());
    field.value = "";
    filter();
    field.focus();
    retest();
  };

  // Search as you type.
  const filter = () => {
    const want = $("#other").value.trim().toLowerCase();
    let shown = 0;
    for (const group of $$("#picker-groups fieldset")) {
      const all = $("legend", group).textContent.toLowerCase().includes(want);
      let any = false;
      for (const chip of $$(".chip", group)) {
        chip.hidden = !all && !chip.textContent.toLowerCase().includes(want);
        any ||= !chip.hidden;
        shown += !chip.hidden;
      }
      group.hidden = !any;
    }
    $("#picker-count").textContent = shown ? "" : form().dataset.none;
  };
  document.addEventListener("input", (e) => {
    if (e.target.id === "other") filter();
  });
  document.addEventListener("toggle", (e) => {
    if (e.target.id === "picker" && e.target.open) $("#other").focus();
  }, true);

  // Past a hundred boxes, Escape is the way out.
  document.addEventListener("keydown", (e) => {
    const picker = e.target.closest("#picker[open]");
    if (!picker || e.key !== "Escape") return;
    picker.open = false;
    $("summary", picker).focus();
  });

  // htmx takes a click on a link of its own also when it means "in a new tab".
  document.addEventListener("click", (e) => {
    if (!plain(e) && e.target.closest("a[hx-get]")) e.stopPropagation();
  }, true);

  // ---- Requests -------------------------------------------------------------

  const isFetch = (ctx) => ["fetch", "refetch"].includes(ctx.sourceElement.id);
  const running = new Set(); // requests on their way
  let stale = false; // something was changed during a fetch
  let failed = false; // the last test did not reach the server

  const stop = (which) => {
    for (const ctx of running) if (which(ctx)) ctx.request.abort?.();
  };

  document.addEventListener("htmx:before:request", (e) => {
    const { ctx } = e.detail;
    running.add(ctx);
    if (!isFetch(ctx)) return;
    stale = false;
    $("#say").textContent = $("#fetching span").textContent;
  });
  document.addEventListener("htmx:finally:request", (e) => running.delete(e.detail.ctx));
  for (const type of ["input", "change"]) {
    document.addEventListener(type, (e) => {
      stale ||= [...running].some(isFetch);
      if ($("#shared-url") && !$("#earlier") && e.target.id !== "other" && text()) {
        // A link shows the test as it was when it was made.
        $("#sharebox").append(line("note", "earlier", form().dataset.earlier));
      }
    });
  }
  document.addEventListener("click", (e) => {
    if (!e.target.closest("[data-abort]")) return;
    stop(isFetch);
    $("#fetch").focus();
  });

  const sentence = (words, label, act) => {
    const p = document.createElement("p");
    p.className = "notice";
    p.setAttribute("role", "alert");
    p.append(words);
    if (label) {
      const b = document.createElement("button");
      b.type = "button";
      b.className = "quiet small";
      b.textContent = label;
      b.addEventListener("click", act);
      p.append(" ", b);
    }
    return p;
  };
  const offline = () => {
    failed = true;
    follow = opened = turned = fixing = false;
    const asking = text() ? form() : $("#ask");
    if (asking) $("#notice").replaceChildren(sentence(asking.dataset.offline));
  };
  document.addEventListener("htmx:error", offline);
  addEventListener("online", () => { if (failed && text()) retest(); });

  let area = null; // the text field before an answer came,
  let was = null; // and what it held if that was a person's own
  document.addEventListener("htmx:before:swap", (e) => {
    const { ctx: { response }, tasks } = e.detail;
    if (!response.headers.get("Vary")?.includes("HX-Request")) {
      // Some machine on the way answered, not the site.
      e.preventDefault();
      offline();
      return;
    }
    failed = false;
    area = text();
    was = area && (own() || fixing) ? read() : null;
    if (tasks.some((task) => task.target?.id === "sheet")) keep();
  });

  document.addEventListener("htmx:after:swap", (e) => {
    const { ctx } = e.detail;
    if (ctx.request.headers["HX-History-Restore-Request"]) {
      arrive(ctx.request.action); // the address may be a step further by now
    } else if (ctx.sourceElement.id === "share") {
      copy($("#sharebox [data-copy]"));
    } else {
      if ($("#editor")) redraw();
      if (text()) answered(ctx);
      else if ($("#ask")) pointOut(["site"]);
    }
    if (follow) showWinner();
    if (opened) {
      opened = false;
      showCell();
      showWhy($("#matrix [aria-current]"));
    }
    if (turned) showTop();
  });

  const answered = (ctx) => {
    if (ctx.pasted) {
      follow = true;
      pasted = false;
    }
    if (text() !== area) {
      // The server sent another text: what is still under way is about the old one.
      const [replaced, fixed] = [was, fixing];
      given = fixed ? "" : text().value; // a text that a fix made is a person's own
      follow = true;
      fixing = false;
      stop((other) => other !== ctx && other.sourceElement.id !== "share");
      if (replaced && replaced.robots !== given) offer(() => putBack(replaced), fixed);
      if (stale) retest();
    }
    if (ctx.response.status < 400 && shown !== "/" && !stale) served = { path: shown, state: JSON.stringify(read()) };
    pointOut(["site", "robots", "url"]);
  };

  // pointOut ties fields to what the answer says is wrong with them.
  const pointOut = (ids) => {
    for (const id of ids) {
      const field = $("#" + id);
      const wrong = $("#e-" + id);
      const about = [wrong?.id, id === "robots" && "facts"].filter(Boolean).join(" ");
      for (const [name, value] of [["aria-invalid", wrong && "true"], ["aria-describedby", about]]) {
        if (value) field.setAttribute(name, value);
        else field.removeAttribute(name);
      }
    }
  };

  // ---- Copy -----------------------------------------------------------------

  const copy = async (button) => {
    if (!button) return;
    const { copy, text } = button.dataset;
    if (copy) $(copy).select();
    try {
      await navigator.clipboard.writeText(text ?? $(copy).value);
      for (const e of [button, $("#say")]) if (e) e.textContent = button.dataset.copied;
    } catch {
      // Not allowed: the link stands there, selected.
    }
  };
  document.addEventListener("click", (e) => copy(e.target.closest("[data-copied]")));

  // Rows of the table, selected and copied, become a line of text each.
  document.addEventListener("copy", (e) => {
    const chosen = getSelection();
    const cell = (node) => (node?.closest ? node : node?.parentElement)?.closest("#matrix th, #matrix td");
    const [from, to] = [cell(chosen.anchorNode), cell(chosen.focusNode)];
    if (!from || !to || from === to) return;
    const heads = $$("#matrix thead th span").map((head) => head.textContent);
    const rows = $$("#matrix tbody tr").filter((row) => chosen.containsNode(row, true));
    if (!rows.length) return;
    e.preventDefault();
    e.clipboardData.setData("text/plain", rows.map((row) => row.cells[0].title + " — " + [...row.cells].slice(1).map((td, i) => {
      const verdict = $("[data-cell]", td);
      if (!verdict) return td.innerText; // a sentence in place of verdicts
      const word = [...verdict.childNodes].find((n) => n.nodeType === Node.TEXT_NODE && n.data.trim());
      return heads[i] + ": " + [word.data.trim(), $("small", verdict)?.textContent].filter(Boolean).join(", ");
    }).join("; ")).join("\n"));
  });

  // ---- Nothing typed is lost --------------------------------------------------

  // Own text is what a person wrote: not the example, not a fetched file.
  let given = ""; // the text that the server put into the editor by itself
  const own = () => text().value !== given && text().value.trim() !== "";

  // What the address gives by itself, and what the page shows now.
  let served = { path: "", state: "" };
  let shown = here();
  document.addEventListener("htmx:after:history:update", () => { shown = here(); });

  const read = () => ({
    robots: text().value,
    outcome: $("#outcome").value,
    site: $("#site").value,
    url: $("#url").value,
    crawlers: $$("#chips input:checked").map((b) => b.value),
  });
  const readDefaults = () => ({
    robots: text().defaultValue,
    outcome: $("#outcome").defaultValue,
    site: $("#site").defaultValue,
    url: $("#url").defaultValue,
    crawlers: $$("#chips input").filter((b) => b.defaultChecked).map((b) => b.value),
  });

  // What the address does not give is kept in this tab, so that a reload and
  // "back" find it.
  const key = "typed";
  const kept = () => {
    try {
      return JSON.parse(sessionStorage.getItem(key));
    } catch {
      return null;
    }
  };
  const keep = () => {
    if (!text()) return;
    const state = read();
    try {
      if (shown !== served.path || JSON.stringify(state) !== served.state) {
        sessionStorage.setItem(key, JSON.stringify({ path: shown, own: own(), state }));
      } else if (kept()?.path === shown) {
        sessionStorage.removeItem(key);
      }
    } catch {
      // No storage, or none left: the page works without.
    }
  };
  addEventListener("pagehide", keep);
  document.addEventListener("visibilitychange", keep);

  const restore = (state) => {
    text().value = state.robots;
    $("#outcome").value = state.outcome;
    $("#site").value = state.site;
    $("#url").value = state.url;
    for (const b of $$('#tester input[name="crawler"]')) b.checked = state.crawlers.includes(b.value);
    for (const name of state.crawlers) choose(name);
    measure();
    draw();
    retest();
  };

  // Own text that something replaced can be brought back. A fix says so where
  // it was asked for.
  const offer = (act, fixed) => {
    const said = (fixed ? $("#fixed") : form()).dataset;
    const p = sentence(said.undo, said.undoButton, () => {
      p.remove();
      act();
    });
    p.id = "undo";
    $("#undo")?.remove();
    if (!fixed) {
      $("#notice").after(p);
      return;
    }
    p.removeAttribute("role"); // it stands in one
    $("#fixed").append(p);
    $("button", p).focus({ preventScroll: true });
    p.scrollIntoView({ block: "nearest" });
  };
  const putBack = (state) => {
    $("#outcome").value = state.outcome;
    write(state.robots);
  };

  // The style sheet keeps the file's column in view, and needs its height for it.
  const beside = new ResizeObserver(([{ target }]) => target.style.setProperty("--high", target.offsetHeight + "px"));

  // arrive makes a page that the server wrote ready.
  const arrive = (at = here()) => {
    shown = at;
    // These are for pages without scripts.
    $("#other")?.removeAttribute("name");
    $("#file")?.removeAttribute("name");
    if (!lineOf(location.hash)) follow = true;
    beside.disconnect();
    for (const file of $$(".bench > .stack:has(#h-robots)")) beside.observe(file);
    showCell();
    if ($("#editor")) redraw();
    toLine();
    if (!text()) return;
    given = $("#outcome").defaultValue || $('#tester input[name="example"]') ? text().defaultValue : "";
    served = { path: shown, state: JSON.stringify(readDefaults()) };
    const before = kept();
    if (before?.path === shown) {
      restore(before.state);
      return;
    }
    if (before?.own) offer(() => restore(before.state));
    // A browser may have put ticks back, but the boxes were others then. Who
    // was quicker than this script ticked these.
    const revisited = performance.getEntriesByType("navigation")[0]?.type !== "navigate";
    for (const b of $$('#tester input[name="crawler"]')) {
      if (revisited) b.checked = b.defaultChecked;
      else if (b.checked !== b.defaultChecked) inStep(b);
    }
    if (shown === "/test" && text().value.includes("\ufffd")) {
      // A file that is no text: another test would be one of its text.
      shown = "/";
      history.replaceState({ htmx: true }, "", shown);
      if (JSON.stringify(read()) === served.state) return;
    }
    if (JSON.stringify(read()) !== served.state || shown === "/test") retest();
  };

  // A step back within the page asks the server for that page anew; it must
  // not replace what was typed since.
  document.addEventListener("htmx:before:history:restore", (e) => {
    if (!text()) return;
    keep();
    if (here() !== shown && !own()) return;
    e.preventDefault();
    if (here() !== shown) history.replaceState({ htmx: true }, "", shown);
  });

  // htmx reads the page in a task of its own, which was queued before this one.
  addEventListener("load", () => setTimeout(() => {
    arrive();
    if (follow) showWinner();
  }));
})();
