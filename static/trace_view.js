// @ts-check
// A conversation as a virtual list. Messages are fetched and shown as text only, whatever they contain.
import { defineComponent, markRaw } from "vue";
import { fetchJson } from "karenina/fetch.js";
import { formatCount, formatCountOf, formatInteger, formatLength } from "karenina/format.js";
import { hasModifier, UP_AND_DOWN, wrapIndex } from "karenina/keys.js";
import {
  findCuts,
  findFailures,
  findHits,
  hitSpans,
  isShort,
  LONGEST_QUERY,
  messageParts,
  MOST_HITS,
  nameSigns,
  searchPattern,
  sizeChange,
  splitText,
} from "karenina/trace.js";

/** @typedef {import("karenina/trace.js").Message} Message */
/** @typedef {import("karenina/trace.js").Part} Part */
/** @typedef {{ key: string, begin: number, end: number, message: number }} Passage of a part of a message */

export default defineComponent({
  template: `
    <section class="trace-view stack wide" :aria-label="label">
      <div v-if="items.length || !loaded" class="trace-bar edge line wraps gap-6">
        <span class="trace-name" aria-hidden="true">{{ label }}</span>
        <q-icon name="search" aria-hidden="true" />
        <input ref="search" class="trace-search box" type="search" v-model="query" maxlength="${LONGEST_QUERY}"
          placeholder="Search messages"
          aria-label="Search messages" @keydown.enter.prevent="step($event.shiftKey ? -1 : 1)"
          @keydown.esc="query = ''" />
        <span class="trace-hits hint" role="status">{{ hitText }}</span>
        <template v-if="hits.length">
          <button type="button" class="trace-button" aria-label="Previous match" @click="step(-1)">
            <q-icon name="keyboard_arrow_up" /></button>
          <button type="button" class="trace-button" aria-label="Next match" @click="step(1)">
            <q-icon name="keyboard_arrow_down" /></button>
        </template>
        <label class="trace-jump line hint" v-if="items.length > 3">Message
          <input type="number" min="1" :max="items.length" :value="here || ''"
            :aria-label="'Go to message, 1 to ' + items.length"
            @change="go(Number($event.target.value))" /> of {{ items.length }}</label>
        <button type="button" class="trace-button" v-if="folds"
          @click="foldAll">{{ all ? 'Collapse all' : 'Expand all' }}</button>
      </div>
      <div v-if="facts || ended || calls.length || cuts.length" class="trace-facts edge flow hint">
        <p><span v-if="ended" class="trace-ended"><q-icon name="warning" aria-hidden="true" /> {{ ended }} </span>
          <span v-if="cuts.length" class="trace-ended"><q-icon name="content_cut" aria-hidden="true" /> {{ cutText }}
            <a :href="'#' + anchor + '-' + cuts[0].number"
              @click.prevent="mark(cuts[0].number)"
              >{{ cuts.length === 1 ? "" : "first in " }}message {{ cuts[0].number }}</a></span>
          {{ facts }}</p>
        <label v-if="calls.length">Show <select v-model="only" aria-label="Filter messages">
          <option value="">all messages</option><option value="calls">tool calls only</option>
          <option v-if="failed.size" value="failed">failed calls only</option>
          <option v-if="cuts.length" value="cut">cut texts only</option></select></label>
      </div>
      <p v-if="problem" class="trace-note" role="alert">{{ problem }} <button type="button" class="trace-button"
        @click="load">Try again</button></p>
      <p v-else-if="loaded && !items.length" class="trace-note">{{ empty }}</p>
      <q-virtual-scroll v-else-if="loaded" ref="list" class="trace-list fills scrolls" role="region" tabindex="0"
        aria-label="Messages"
        :items="shown" @keydown="walk"
        :virtual-scroll-item-size="120" :virtual-scroll-slice-size="14" v-slot="{ item }">
        <article :key="item.number" :class="looks(item)" :aria-label="item.title + ', message ' + item.number">
          <header>
            <a class="trace-number" :href="'#' + anchor + '-' + item.number"
              :aria-label="'Link to message ' + item.number"
              @click.prevent="mark(item.number)">{{ item.number }}</a>
            <b>{{ item.title }}</b>
            <span v-if="item.final" class="trace-tag trace-tag-final">{{ last }}</span>
            <span v-else-if="item.sent" class="trace-tag">{{ told }}</span>
            <span v-if="item.at || item.tokens"
              class="trace-when one-line muted figures">{{ timeAndTokens(item) }}</span>
          </header>
          <template v-for="part in messageParts(item)" :key="part.key">
            <p v-if="part.kind === 'end'" class="trace-end prose"><q-icon name="warning" aria-hidden="true" />
              <span><span v-for="s in pieces(part)" :class="s.c" :data-sign="s.sign">{{ s.t }}</span></span></p>
            <div v-else-if="part.kind === 'text'" class="trace-body"><pre class="trace-text prose"><span
              v-for="s in pieces(part)"
              :class="s.c" :data-sign="s.sign">{{ s.t }}</span></pre>
              <button type="button" class="trace-more" v-if="part.text.length > part.most" @click="toggle(part)">
                {{ isOpen(part) ? 'Show less' : 'Show all ' + formatLength(part.text) }}</button></div>
            <div v-else class="trace-part box" :class="['trace-' + part.kind, { 'trace-bad': part.error }]">
              <button type="button" class="trace-fold" :aria-expanded="isOpen(part)" @click="toggle(part)">
                <q-icon :name="isOpen(part) ? 'expand_more' : 'chevron_right'" aria-hidden="true" />
                <q-icon class="trace-kind" :name="part.icon" aria-hidden="true" />
                <span>{{ part.label }}</span><code v-if="part.title" :title="nameSigns(part.title.text)"><span
                  v-for="s in pieces(part.title)" :class="s.c" :data-sign="s.sign">{{ s.t }}</span></code>
                <span v-for="note in part.notes" :key="note.key" class="trace-tag" :class="note.look"><span
                  v-for="s in pieces(note)" :class="s.c" :data-sign="s.sign">{{ s.t }}</span></span>
                <i v-if="part.kind !== 'call' || !part.error">{{ lengthWords(part) }}</i>
                <span v-if="!isOpen(part)" class="trace-peek cut">{{ peek(part) }}</span>
              </button>
              <pre v-if="isOpen(part) && part.text" class="trace-code prose"><span v-for="s in pieces(part)"
                :class="s.c" :data-sign="s.sign">{{ s.t }}</span></pre>
              <button type="button" class="trace-more" v-if="part.raw && isOpen(part)" :aria-pressed="part.key in raws"
                @click="toggleRaw(part)">{{ rawText(part) }}</button>
              <a v-if="part.call && isOpen(part)" class="trace-back" :href="'#' + anchor + '-' + part.call"
                @click.prevent="mark(part.call)">called in message {{ part.call }}</a>
            </div>
          </template>
          <p v-if="isEmpty(item)" class="trace-none">This message is empty.</p>
        </article>
      </q-virtual-scroll>
    </section>`,
  props: {
    url: String,
    empty: { type: String, default: "No trace." },
    label: { type: String, default: "Trace" },
    anchor: { type: String, default: "message" }, // an address's #message-3 opens at message 3
    last: { type: String, default: "judged answer" },
    told: { type: String, default: "sent to the model" },
    facts: String,
    ended: String,
  },
  data() {
    return {
      /** @type {Message[]} */
      items: [],
      loaded: false,
      problem: "",
      query: "",
      /** @type {import("karenina/trace.js").Hit[]} */
      hits: [],
      at: -1,
      here: 0,
      /** @type {Record<string, boolean>} */
      open: {},
      /** @type {boolean | null} */
      all: null,
      only: "",
      /** @type {Passage | null} */
      passage: null,
      /**
       * Keys of parts that are shown as they came, with the codes for a terminal.
       * @type {Record<string, true>}
       */
      raws: {},
    };
  },
  computed: {
    calls() {
      return this.items.filter((item) => item.calls.length || item.results.length);
    },
    failed() {
      return findFailures(this.items);
    },
    cuts() {
      return findCuts(this.items);
    },
    cutText() {
      const sum = (/** @type {"before" | "after"} */ name) => this.cuts.reduce((all, each) => all + each[name], 0);
      const words = this.cuts.length === 1 ? "Cut text" : this.cuts.length + " cut texts";
      return `${words}: ${sizeChange({ before: sum("before"), after: sum("after") })},`;
    },
    shown() {
      /** @type {Record<string, () => Message[]>} */
      const kept = {
        calls: () => this.calls,
        failed: () => this.itemsWithNumbers(this.failed),
        cut: () => this.itemsWithNumbers(new Set(this.cuts.map((each) => each.number))),
      };
      return this.only in kept ? markRaw(kept[this.only]()) : this.items;
    },
    pattern() {
      return searchPattern(this.query);
    },
    hitText() {
      if (!this.pattern) return "";
      if (!this.hits.length) return "No matches";
      const more = this.hits.length >= MOST_HITS ? "+" : "";
      return (this.at < 0
        ? formatInteger(this.hits.length)
        : `${formatInteger(this.at + 1)} of ${formatInteger(this.hits.length)}`) + more;
    },
    folds() {
      const folds = (/** @type {Part} */ part) => part.kind !== "end" && (part.kind !== "text" || !isShort(part));
      return this.items.some((item) => messageParts(item).some(folds));
    },
  },
  watch: {
    query() {
      this.find();
    },
  },
  mounted() {
    addEventListener("hashchange", this.followHash);
    this.load();
  },
  unmounted() {
    removeEventListener("hashchange", this.followHash);
  },
  methods: {
    followHash() {
      const [anchor, number] = location.hash.slice(1).split(/-(?=\d+$)/);
      if (anchor === this.anchor) this.go(Number(number));
    },
    async load() {
      this.problem = "";
      try {
        this.items = markRaw(await fetchJson(this.url)); // no reactivity over megabytes
        this.loaded = true;
        const passage = this.passage;
        this.$nextTick(passage ? () => this.show(passage) : this.followHash);
      } catch {
        this.problem = "Couldn’t load the trace.";
      }
    },
    /** @param {Set<number | undefined>} numbers */
    itemsWithNumbers(numbers) {
      return this.items.filter((item) => numbers.has(item.number));
    },
    messageParts,
    nameSigns,
    /** @param {Part} part */
    isOpen(part) {
      if (part.key in this.open) return this.open[part.key];
      if (this.all !== null) return this.all;
      return isShort(part);
    },
    /**
     * Tab leaves the conversation, since it has no end that Tab could reach; arrows go through what is in it.
     * @param {KeyboardEvent} event
     */
    walk(event) {
      if (hasModifier(event)) return;
      const list = /** @type {HTMLElement} */ (event.currentTarget),
        place = list.getBoundingClientRect(),
        inside = event.target !== list;
      const all = [...list.querySelectorAll(/** @type {"a"} */ ("a[href], button"))];
      const at = all.indexOf(/** @type {HTMLAnchorElement} */ (event.target));
      const shown = () => all.find((each) => each.getBoundingClientRect().top >= place.top);
      const step = UP_AND_DOWN[event.key];
      if (event.key === "Tab" && (inside || !event.shiftKey)) {
        event.preventDefault();
        if (!inside) shown()?.focus();
        else if (event.shiftKey) list.focus();
        else window.focusBeyond(list, false);
      } else if (step && inside) {
        event.preventDefault();
        (at < 0 ? shown() : all[at + step])?.focus();
      }
    },
    /** @param {Message} item */
    isEmpty(item) {
      return !item.text && ![item.thinking, item.calls, item.results].some((each) => each.length);
    },
    /** @param {Part} part */
    lengthWords(part) {
      return part.text ? formatLength(part.text) : part.kind === "call" ? "no arguments" : "empty";
    },
    /** @param {Part} part */
    peek(part) {
      return nameSigns(part.text.slice(0, 120));
    },
    /** @param {Part} part */
    toggleRaw(part) {
      if (part.key in this.raws) delete this.raws[part.key];
      else this.raws[part.key] = true;
    },
    /** @param {Part} part */
    rawText(part) {
      return part.key in this.raws ? "Show as in a terminal" : "Show as sent";
    },
    /** @param {Part} part */
    toggle(part) {
      this.open[part.key] = !this.isOpen(part);
    },
    foldAll() {
      this.all = !this.all;
      this.open = {};
    },
    /** @param {Message} item */
    looks(item) {
      return ["trace-message", "trace-" + item.role, {
        "trace-sent": item.sent,
        "trace-final": item.final,
        "trace-here": item.number === this.here,
      }];
    },
    formatLength,
    /** @param {Message} item */
    timeAndTokens(item) {
      const at = item.at ? new Date(item.at) : null;
      const time = at && !isNaN(Number(at))
        ? at.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", second: "2-digit", hour12: false })
        : "";
      return [time, item.tokens ? formatInteger(item.tokens) + " tokens" : ""].filter(Boolean).join(" · ");
    },
    /**
     * The text in stretches that look alike: styles, signs that are not seen otherwise, matches, a passage.
     * @param {Part} part
     */
    pieces(part) {
      const isRaw = part.key in this.raws, most = part.most ?? 0;
      const isCut = part.kind === "text" && !this.isOpen(part) && part.text.length > most;
      const text = isCut ? part.text.slice(0, most) + " …" : (isRaw && part.raw) || part.text;
      const spans = [
        ...(isRaw ? [] : part.styles ?? []),
        ...hitSpans(part.key, text, this.pattern, this.hits[this.at]),
      ];
      if (this.passage?.key === part.key) spans.push([this.passage.begin, this.passage.end, "trace-passage"]);
      return splitText(text, spans);
    },
    find() {
      this.hits = this.pattern ? findHits(this.items, this.pattern) : [];
      this.at = -1;
    },
    /** @param {number} by */
    step(by) {
      if (!this.hits.length) return;
      this.at = wrapIndex(this.at, by, this.hits.length);
      const hit = this.hits[this.at];
      this.open[hit.key] = true;
      this.scrollToMessage(hit.number, ".trace-now", (mark) => mark.scrollIntoView({ block: "center" }));
    },
    /** @param {number} number */
    go(number) {
      if (!(number >= 1 && number <= this.items.length)) return;
      this.here = number;
      this.scrollToMessage(number, ".trace-here");
    },
    /**
     * Marks a passage and brings it into view.
     * @param {Passage} passage
     */
    show(passage) {
      this.passage = { ...passage, key: passage.message + (passage.key.match(/\D+\d+$/)?.[0] ?? passage.key) };
      if (!this.loaded) return; // `load` does it then
      this.open[this.passage.key] = true;
      this.here = passage.message;
      this.scrollToMessage(passage.message, ".trace-passage", (mark) => {
        const long = mark.getBoundingClientRect().height > this.$refs.list.$el.clientHeight * 0.7;
        mark.scrollIntoView({ block: long ? "start" : "center" });
      });
    },
    /**
     * Scrolls to a message and to what is in it: a list that was only just drawn may lose its first jump.
     * @param {number} number
     * @param {string} what
     * @param {(found: Element) => void} then
     */
    scrollToMessage(number, what, then = () => {}, tries = 10) {
      this.$nextTick(() => {
        if (!this.shown.some((item) => item.number === number)) this.only = "";
        this.$refs.list?.scrollTo(this.shown.findIndex((item) => item.number === number), "start-force");
        setTimeout(() => {
          const found = this.$el?.querySelector?.(what);
          if (found) then(found);
          else if (tries) this.scrollToMessage(number, what, then, tries - 1);
        }, 60);
      });
    },
    /** @param {number} number */
    mark(number) {
      history.replaceState(history.state, "", location.pathname + location.search + "#" + this.anchor + "-" + number);
      this.go(number);
    },
  },
});
