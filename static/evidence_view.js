// @ts-check
// Evidence of a result in linked panes: answer, investigations, workspace. A link `#why=field:dose` on the page lists
// the places that give the reason, and marks the first one. The address keeps the choice.
import { defineComponent, markRaw } from "vue";
import { targetElement } from "karenina/dom.js";
import { formatReference, lineWords, parseReference } from "karenina/evidence.js";
import { fetchJson } from "karenina/fetch.js";
import { formatCount, shorten } from "karenina/format.js";
import { findMove, hasModifier } from "karenina/keys.js";
import { waitFor } from "karenina/waiting.js";

/** @typedef {import("karenina/evidence.js").FileReference} FileReference */
/**
 * @typedef {{
 *   trace: string, where: string, message: number, text: string, key: string, begin: number, end: number
 * }} Place that gives a reason
 */
/** @typedef {FileReference & { name: string, known: boolean }} Mention of a file */
/**
 * @typedef {{
 *   title: string, value?: string, note?: string, trace: string, places: Place[], files: Mention[]
 * }} Subject of a question why
 */
/** @typedef {{ name: string, title: string, id: number }} View named as its slot; `id`: number of what is in it */
/** @typedef {{ name: string, title: string, count?: number, views: View[] }} Pane has one view or several */

const LINKS = 'a[href^="#why="]';

/** @returns {HTMLElement[]} */
const links = () => [...document.querySelectorAll(/** @type {"a"} */ (LINKS))];

/**
 * The subject of a link, such as `field:dose`.
 * @param {Element} link
 */
const linkSubject = (link) => new URLSearchParams((link.getAttribute("href") ?? "").slice(1)).get("why") ?? "";
export default defineComponent({
  template: `
    <section class="evidence pane" aria-label="Evidence">
      <div v-if="asked" class="evidence-why edge" role="region" :aria-label="'Why ' + asked.title" @keydown.esc="close">
        <header>
          <span class="grow breaks">Why <code>{{ asked.title }}</code><template
            v-if="asked.value"> = <b>{{ shortValue(asked.value) }}</b></template></span>
          <button type="button" class="trace-button" aria-label="Close" @click="close"><q-icon name="close" /></button>
        </header>
        <p v-if="asked.note" class="evidence-note">{{ asked.note }}</p>
        <ol v-if="asked.places.length" class="evidence-places">
          <li v-for="(each, i) in asked.places"><button type="button" class="evidence-place"
            :aria-current="place === i ? 'true' : null" @click="showPlace(i)">
            <span class="evidence-where">{{ placeTitle(each) }}</span> <span
              class="evidence-text cut shrinks">{{ each.text }}</span></button></li>
        </ol>
        <ul v-if="asked.files.length" class="evidence-files flow" aria-label="Mentioned files">
          <li v-for="each in asked.files">
            <button v-if="each.known" type="button" class="trace-button"
              :aria-current="file === formatReference(each) ? 'true' : null"
              @click="showFile(each)">
              <q-icon name="description" aria-hidden="true" /> {{ fileTitle(each) }}</button>
            <span v-else class="evidence-foreign hint"><q-icon name="description" aria-hidden="true"
              /> {{ fileTitle(each) }}{{ hasView("workspace") ? ": not changed" : "" }}</span>
          </li>
        </ul>
      </div>
      <p v-if="problem" class="trace-note" role="alert">{{ problem }} <button type="button" class="trace-button"
        @click="load">Try again</button></p>
      <div class="evidence-tabs edge" role="tablist" aria-label="Evidence" @keydown="switchPane">
        <button v-for="each in panes" type="button" role="tab" class="evidence-tab" :id="'evidence-tab-' + each.name"
          :aria-selected="each.name === at ? 'true' : 'false'"
          :aria-controls="'evidence-pane-' + each.name" :tabindex="each.name === at ? 0 : -1"
          @click="openPane(each.name)">
          {{ each.title }}<span v-if="each.count !== undefined" class="evidence-count">{{ each.count }}</span></button>
      </div>
      <div class="evidence-panes">
        <div v-for="each in panes" role="tabpanel" class="evidence-pane stack" :id="'evidence-pane-' + each.name"
          :aria-labelledby="'evidence-tab-' + each.name"
          :class="{ 'evidence-off': each.name !== at }">
          <label v-if="each.views.length > 1" class="evidence-choice edge line hint gap-6">Investigation of
            <select v-model="chosen" @change="openPane(chosen)"><option v-for="view in each.views"
              :value="view.name">{{ view.title }}</option></select></label>
          <div class="evidence-views">
            <div v-for="view in each.views" class="evidence-view"
              :class="{ 'evidence-off': each.name !== at || (each.views.length > 1 && view.name !== chosen) }">
              <slot v-if="opened[view.name]" :name="view.name"></slot>
            </div>
          </div>
        </div>
      </div>
      <span class="sr-only" role="status">{{ said }}</span>
    </section>`,
  props: { url: String, panes: /** @type {import("vue").PropOf<Pane[]>} */ (Array) },
  data() {
    return {
      subjects: /** @type {Record<string, Subject>} */ ({}),
      problem: "",
      key: "",
      place: -1,
      file: "",
      at: "",
      chosen: "",
      opened: /** @type {Record<string, boolean>} */ ({}),
      said: "",
    };
  },
  computed: {
    /** @returns {Subject | null} */
    asked() {
      return this.subjects[this.key] ?? null;
    },
    views() {
      return this.panes.flatMap((pane) => pane.views.map((view) => ({ ...view, pane: pane.name })));
    },
  },
  created() {
    this.chosen = this.views.find((view) => view.pane === "investigation")?.name ?? "";
    this.openPane(this.panes[0].name, false);
  },
  mounted() {
    document.addEventListener("click", this.onClick);
    addEventListener("hashchange", this.followHash);
    this.load();
  },
  unmounted() {
    document.removeEventListener("click", this.onClick);
    removeEventListener("hashchange", this.followHash);
  },
  methods: {
    /** @param {MouseEvent} event */
    onClick(event) {
      const link = targetElement(event)?.closest(LINKS);
      if (!link || hasModifier(event) || event.shiftKey) return;
      event.preventDefault();
      this.askWhy(linkSubject(link));
    },
    async load() {
      this.problem = "";
      try {
        this.subjects = markRaw(await fetchJson(this.url));
      } catch {
        this.problem = "Couldn’t load the evidence.";
      }
      this.followHash();
    },
    followHash() {
      const hash = location.hash.slice(1);
      if (!hash.includes("=")) {
        const name = hash.replace(/-?message-\d+$/, "") || (hash ? "answer" : "");
        if (this.hasView(name)) this.openPane(name, false);
        return;
      }
      const wanted = new URLSearchParams(hash);
      const [why, place, file, pane] = ["why", "place", "file", "pane"].map((name) => wanted.get(name));
      if (why) this.askWhy(why, { place: Number(place ?? 1) - 1, file, pane });
      else if (file) this.showReference(file);
    },
    /** @param {HTMLElement} link */
    scrollToLink(link) {
      // In the middle, not just inside the edge: the page may still be growing around the pane.
      const pane = /** @type {Element} */ (link.closest(".scroll")).getBoundingClientRect();
      const at = link.getBoundingClientRect();
      if (at.top < pane.top || at.bottom > pane.bottom) link.scrollIntoView({ block: "center" });
    },
    /**
     * List the reasons of a subject, and show the first place, another one, a file, or a pane.
     * @param {string} key
     * @param {{ place?: number, file?: string | null, pane?: string | null }} [options]
     */
    askWhy(key, { place = 0, file = null, pane = null } = {}) {
      const asked = this.subjects[key];
      if (!asked) return;
      this.key = key;
      this.place = -1;
      this.file = "";
      for (const link of links()) {
        const here = linkSubject(link) === key;
        here ? link.setAttribute("aria-current", "true") : link.removeAttribute("aria-current");
        if (here) this.scrollToLink(link); // who comes by an address may not see it yet
      }
      const found = asked.places.length;
      this.said = `Why ${asked.title}: ${found ? formatCount(found, "place") : "no place"} found. ${asked.note ?? ""}`;
      if (file) this.showReference(file);
      else if (pane && this.hasView(pane)) this.openPane(pane);
      else if (found) this.showPlace(asked.places[place] ? place : 0);
      else this.openPane(this.hasView(asked.trace) ? asked.trace : this.at);
    },
    /** @param {string} name of a pane or a view */
    hasView(name) {
      return this.panes.some((pane) => pane.name === name) || this.views.some((view) => view.name === name);
    },
    close() {
      const link = links().find((each) => each.hasAttribute("aria-current"));
      this.key = "";
      link?.removeAttribute("aria-current");
      link?.focus();
      this.updateAddress();
    },
    /** @param {number} number */
    showPlace(number) {
      const each = this.asked?.places[number];
      if (!each) return;
      this.place = number;
      this.file = "";
      this.openPane(each.trace, false);
      this.whenDrawn(each.trace, (view) => view.show(each));
      this.updateAddress();
    },
    formatReference,
    /** @param {FileReference} spot */
    showFile(spot) {
      this.showReference(formatReference(spot));
    },
    /** @param {string} written */
    showReference(written) {
      const { path, first, last } = parseReference(written);
      if (!this.panes.some((pane) => pane.name === "workspace")) return;
      this.place = -1;
      this.file = written;
      this.openPane("workspace", false);
      this.whenDrawn("workspace", (view) => view.show(path, first, last));
      this.updateAddress();
    },
    /**
     * Show a pane, or a view in it.
     * @param {string} name
     * @param {boolean} kept whether the address says so too
     */
    openPane(name, kept = true) {
      const view = this.views.find((each) => each.name === name);
      const pane = view?.pane ?? name;
      if (view && pane === "investigation") this.chosen = name;
      this.at = pane;
      this.opened[pane === "investigation" ? this.chosen : pane] = true;
      if (!kept) return;
      this.place = -1;
      this.file = "";
      this.updateAddress();
    },
    /**
     * Act on a view once it is drawn.
     * @param {string} name of the view
     * @param {(view: Component) => void} act
     */
    async whenDrawn(name, act) {
      const id = this.views.find((view) => view.name === name)?.id ?? 0;
      await this.$nextTick();
      const view = await waitFor(() => {
        const found = getElement(id);
        return found?.show && found;
      });
      if (view) act(view);
    },
    updateAddress() {
      const pane = this.at === "investigation" ? this.chosen : this.at;
      if (!this.key && !this.file) return this.writeHash(pane);
      /** @type {Record<string, string>} */
      const parts = {};
      if (this.key) parts.why = this.key;
      if (this.place > 0) parts.place = String(this.place + 1);
      if (this.file) parts.file = this.file;
      else if (this.place < 0) parts.pane = pane;
      this.writeHash(String(new URLSearchParams(parts)));
    },
    /** @param {string} hash */
    writeHash(hash) {
      history.replaceState(history.state, "", location.pathname + location.search + "#" + hash);
    },
    /** @param {KeyboardEvent} event */
    switchPane(event) {
      const here = this.panes.findIndex((pane) => pane.name === this.at);
      const to = findMove(event.key, here, this.panes.length, { steps: { ArrowRight: 1, ArrowLeft: -1 } });
      if (to === undefined) return;
      event.preventDefault();
      this.openPane(this.panes[to].name);
      this.$nextTick(() => document.getElementById("evidence-tab-" + this.at)?.focus());
    },
    /** @param {Place} each */
    placeTitle(each) {
      return `${each.where}, message ${each.message}`;
    },
    /** @param {Mention} each */
    fileTitle(each) {
      return each.name + lineWords(each);
    },
    /** @param {string} text */
    shortValue(text) {
      return shorten(text, 80);
    },
  },
});
