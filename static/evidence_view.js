// What a result rests on, in linked panes: the answer, the investigations, the workspace. A link `#why=field:dose` on
// the page asks why; its places are listed, the first is marked where it stands. The address keeps what is chosen.
export default {
  template: `
    <section class="ex pane" aria-label="Evidence">
      <div v-if="asked" class="ex-why" role="region" :aria-label="'Why ' + asked.title" @keydown.esc="close">
        <header>
          <span class="ex-subject">Why <code>{{ asked.title }}</code><template
            v-if="asked.value"> = <b>{{ short(asked.value) }}</b></template></span>
          <button type="button" class="tv-b" aria-label="Close" @click="close"><q-icon name="close" /></button>
        </header>
        <p v-if="asked.note" class="ex-note">{{ asked.note }}</p>
        <ol v-if="asked.places.length" class="ex-places">
          <li v-for="(each, i) in asked.places"><button type="button" class="ex-place"
            :aria-current="place === i ? 'true' : null" @click="toPlace(i)">
            <span class="ex-where">{{ where(each) }}</span> <span class="ex-text">{{ each.text }}</span></button></li>
        </ol>
        <ul v-if="asked.files.length" class="ex-files" aria-label="Mentioned files">
          <li v-for="each in asked.files">
            <button v-if="each.known" type="button" class="tv-b" :aria-current="file === spot(each) ? 'true' : null"
              @click="toFile(each)">
              <q-icon name="description" aria-hidden="true" /> {{ named(each) }}</button>
            <span v-else class="ex-foreign"><q-icon name="description" aria-hidden="true"
              /> {{ named(each) }}{{ knows("workspace") ? ": not changed" : "" }}</span>
          </li>
        </ul>
      </div>
      <p v-if="problem" class="tv-note" role="alert">{{ problem }} <button type="button" class="tv-b"
        @click="load">Try again</button></p>
      <div class="ex-tabs" role="tablist" aria-label="Evidence" @keydown="turn">
        <button v-for="each in panes" type="button" role="tab" class="ex-tab" :id="'ex-tab-' + each.name"
          :aria-selected="each.name === at ? 'true' : 'false'"
          :aria-controls="'ex-pane-' + each.name" :tabindex="each.name === at ? 0 : -1" @click="visit(each.name)">
          {{ each.title }}<span v-if="each.count !== undefined" class="ex-count">{{ each.count }}</span></button>
      </div>
      <div class="ex-panes">
        <div v-for="each in panes" role="tabpanel" class="ex-pane" :id="'ex-pane-' + each.name"
          :aria-labelledby="'ex-tab-' + each.name"
          :class="{ 'ex-off': each.name !== at }">
          <label v-if="each.views.length > 1" class="ex-choice">Investigation of
            <select v-model="chosen" @change="visit(chosen)"><option v-for="view in each.views"
              :value="view.name">{{ view.title }}</option></select></label>
          <div class="ex-views">
            <div v-for="view in each.views" class="ex-view"
              :class="{ 'ex-off': each.name !== at || (each.views.length > 1 && view.name !== chosen) }">
              <slot v-if="opened[view.name]" :name="view.name"></slot>
            </div>
          </div>
        </div>
      </div>
      <span class="sr-only" role="status">{{ said }}</span>
    </section>`,
  // A pane has one view or several; a view is named as its slot and `id` is the number of what stands in it.
  props: { url: String, panes: Array },
  data() {
    return { subjects: {}, problem: "", key: "", place: -1, file: "", at: "", chosen: "", opened: {}, said: "" };
  },
  computed: {
    asked() {
      return this.subjects[this.key] ?? null;
    },
    views() {
      return this.panes.flatMap((pane) => pane.views.map((view) => ({ ...view, pane: pane.name })));
    },
  },
  created() {
    this.chosen = this.views.find((view) => view.pane === "investigation")?.name ?? "";
    this.visit(this.panes[0].name, false);
  },
  mounted() {
    this.onClick = (event) => {
      const link = event.target.closest?.('a[href^="#why="]');
      if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
      event.preventDefault();
      this.ask(new URLSearchParams(link.getAttribute("href").slice(1)).get("why"));
    };
    document.addEventListener("click", this.onClick);
    addEventListener("hashchange", this.fromHash);
    this.load();
  },
  unmounted() {
    document.removeEventListener("click", this.onClick);
    removeEventListener("hashchange", this.fromHash);
  },
  methods: {
    async load() {
      this.problem = "";
      try {
        const reply = await fetch((window.path_prefix || "") + this.url);
        if (!reply.ok) throw new Error(reply.statusText);
        this.subjects = Vue.markRaw(await reply.json());
      } catch (error) {
        this.problem = "Couldn’t load the evidence.";
      }
      this.fromHash();
    },
    fromHash() {
      const hash = location.hash.slice(1);
      if (!hash.includes("=")) {
        const name = hash.replace(/-?message-\d+$/, "") || (hash ? "answer" : "");
        if (this.knows(name)) this.visit(name, false);
        return;
      }
      const wanted = new URLSearchParams(hash);
      const [why, place, file, pane] = ["why", "place", "file", "pane"].map((name) => wanted.get(name));
      if (why) this.ask(why, { place: Number(place ?? 1) - 1, file, pane });
      else if (file) this.toSpot(file);
    },
    // Which reasons are listed; the first place is shown, or another one, a file, or a pane.
    bring(link) {
      // In the middle, not just inside the edge: the page may still be growing around the pane.
      const pane = link.closest(".scroll").getBoundingClientRect();
      const at = link.getBoundingClientRect();
      if (at.top < pane.top || at.bottom > pane.bottom) link.scrollIntoView({ block: "center" });
    },
    ask(key, { place = 0, file = null, pane = null } = {}) {
      if (!this.subjects[key]) return;
      this.key = key;
      this.place = -1;
      this.file = "";
      for (const link of document.querySelectorAll('a[href^="#why="]')) {
        const here = new URLSearchParams(link.getAttribute("href").slice(1)).get("why") === key;
        here ? link.setAttribute("aria-current", "true") : link.removeAttribute("aria-current");
        if (here) this.bring(link); // who comes by an address may not see it yet
      }
      const found = this.asked.places.length;
      this.said = `Why ${this.asked.title}: ${found ? found + (found > 1 ? " places" : " place") : "no place"} found. ${
        this.asked.note ?? ""
      }`;
      if (file) this.toSpot(file);
      else if (pane && this.knows(pane)) this.visit(pane);
      else if (found) this.toPlace(this.asked.places[place] ? place : 0);
      else this.visit(this.knows(this.asked.trace) ? this.asked.trace : this.at);
    },
    knows(name) {
      return this.panes.some((pane) => pane.name === name) || this.views.some((view) => view.name === name);
    },
    close() {
      const link = [...document.querySelectorAll('a[href^="#why="]')].find((each) => each.hasAttribute("aria-current"));
      this.key = "";
      link?.removeAttribute("aria-current");
      link?.focus();
      this.keep();
    },
    toPlace(number) {
      const each = this.asked.places[number];
      this.place = number;
      this.file = "";
      this.visit(each.trace, false);
      this.then(each.trace, (view) => view.show(each));
      this.keep();
    },
    spot(each) {
      return each.path + (each.first ? ":" + each.first + (each.last > each.first ? "-" + each.last : "") : "");
    },
    toFile(each) {
      this.toSpot(this.spot(each));
    },
    toSpot(spot) {
      const [, path, first, last] = /^(.*?)(?::(\d{1,7})(?:-(\d{1,7}))?)?$/s.exec(spot);
      if (!this.panes.some((pane) => pane.name === "workspace")) return;
      this.place = -1;
      this.file = spot;
      this.visit("workspace", false);
      this.then("workspace", (view) => view.show(path, Number(first ?? 0), Number(last ?? first ?? 0)));
      this.keep();
    },
    // The pane, or the view in it, that is seen. `kept`: whether the address says so too.
    visit(name, kept = true) {
      const view = this.views.find((each) => each.name === name);
      const pane = view?.pane ?? name;
      if (view && pane === "investigation") this.chosen = name;
      this.at = pane;
      this.opened[pane === "investigation" ? this.chosen : pane] = true;
      if (!kept) return;
      this.place = -1;
      this.file = "";
      this.keep();
    },
    then(name, what, tries = 40) { // what stands in a pane is drawn once it is opened
      const { id } = this.views.find((view) => view.name === name);
      this.$nextTick(() => {
        const view = getElement(id);
        if (view?.show) what(view);
        else if (tries) setTimeout(() => this.then(name, what, tries - 1), 50);
      });
    },
    keep() {
      const pane = this.at === "investigation" ? this.chosen : this.at, parts = {};
      if (!this.key && !this.file) return this.write(pane);
      if (this.key) parts.why = this.key;
      if (this.place > 0) parts.place = this.place + 1;
      if (this.file) parts.file = this.file;
      else if (this.place < 0) parts.pane = pane;
      this.write(String(new URLSearchParams(parts)));
    },
    write(hash) {
      history.replaceState(history.state, "", location.pathname + location.search + "#" + hash);
    },
    turn(event) {
      const step = { ArrowRight: 1, ArrowLeft: -1, Home: -this.panes.length, End: this.panes.length }[event.key];
      if (!step) return;
      event.preventDefault();
      const to = Math.min(
        Math.max(this.panes.findIndex((pane) => pane.name === this.at) + step, 0),
        this.panes.length - 1,
      );
      this.visit(this.panes[to].name);
      this.$nextTick(() => document.getElementById("ex-tab-" + this.at)?.focus());
    },
    where(each) {
      return `${each.where}, message ${each.message}`;
    },
    named(each) {
      return each.name +
        (each.first ? (each.last > each.first ? `, lines ${each.first} to ${each.last}` : `, line ${each.first}`) : "");
    },
    short(text) {
      return text.length > 80 ? text.slice(0, 79) + "…" : text;
    },
  },
};
