// A conversation as a virtual list. Its messages come by fetch and are shown as text only, whatever they contain.
const SHORT = 400; // a tool result up to this many characters is shown at once
const LONG = 4000; // a longer text is cut until it is opened, and longer arguments are folded
const LONG_INSTRUCTIONS = 500; // instructions are long, and the same in every conversation
const MOST_HITS = 2000;
const LONGEST_QUERY = 1000; // characters; a pattern of many more cannot be made
// Signs that nobody would see, as in gui/parts/markup.py; tags in the flag of a region are seen.
const UNSEEN = String
  .raw`\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb`;
const TAG = String.raw`[\u{e0000}-\u{e007f}]`, IN_FLAG = String.raw`\u{1f3f4}[\u{e0020}-\u{e007e}]{0,6}` + TAG;
const SIGNS = new RegExp(String.raw`[${UNSEEN}]|${TAG}(?<!${IN_FLAG})|\r(?!\n)`, "gu");
const SKIPPED = String.raw`[${UNSEEN}\u{e0000}-\u{e007f}\u00ad\u200c\u200d]`; // what a search passes over

const named = (sign) => "U+" + sign.codePointAt(0).toString(16).toUpperCase().padStart(4, "0");
const bytes = (count) =>
  count < 1000 ? count + " bytes" : count < 1e6 ? (count / 1e3).toFixed(1) + " kB" : (count / 1e6).toFixed(1) + " MB";

export default {
  template: `
    <section class="tv" :aria-label="label">
      <div v-if="items.length || !loaded" class="tv-bar">
        <q-icon name="search" aria-hidden="true" />
        <input ref="search" class="tv-search" type="search" v-model="query" maxlength="${LONGEST_QUERY}"
          placeholder="Search messages"
          aria-label="Search messages" @keydown.enter.prevent="step($event.shiftKey ? -1 : 1)"
          @keydown.esc="query = ''" />
        <span class="tv-hits" role="status">{{ hitText }}</span>
        <template v-if="hits.length">
          <button type="button" class="tv-b" aria-label="Previous match" @click="step(-1)">
            <q-icon name="keyboard_arrow_up" /></button>
          <button type="button" class="tv-b" aria-label="Next match" @click="step(1)">
            <q-icon name="keyboard_arrow_down" /></button>
        </template>
        <label class="tv-jump" v-if="items.length > 3">Message
          <input type="number" min="1" :max="items.length" :value="here || ''"
            :aria-label="'Go to message, 1 to ' + items.length"
            @change="go(Number($event.target.value))" /> of {{ items.length }}</label>
        <button type="button" class="tv-b" v-if="folds"
          @click="foldAll">{{ all ? 'Collapse all' : 'Expand all' }}</button>
      </div>
      <div v-if="facts || ended || calls.length || cuts.length" class="tv-facts">
        <p><span v-if="ended" class="tv-ended"><q-icon name="warning" aria-hidden="true" /> {{ ended }} </span>
          <span v-if="cuts.length" class="tv-ended"><q-icon name="content_cut" aria-hidden="true" /> {{ cutText }}
            <a :href="'#' + anchor + '-' + cuts[0].number"
              @click.prevent="mark(cuts[0].number)"
              >{{ cuts.length === 1 ? "" : "first in " }}message {{ cuts[0].number }}</a></span>
          {{ facts }}</p>
        <label v-if="calls.length">Show <select v-model="only" aria-label="Filter messages">
          <option value="">all messages</option><option value="calls">tool calls only</option>
          <option v-if="failed.size" value="failed">failed calls only</option>
          <option v-if="cuts.length" value="cut">cut texts only</option></select></label>
      </div>
      <p v-if="problem" class="tv-note" role="alert">{{ problem }} <button type="button" class="tv-b"
        @click="load">Try again</button></p>
      <p v-else-if="loaded && !items.length" class="tv-note">{{ empty }}</p>
      <q-virtual-scroll v-else-if="loaded" ref="list" class="tv-list" role="region" tabindex="0" aria-label="Messages"
        :items="shown" @keydown="walk"
        :virtual-scroll-item-size="120" :virtual-scroll-slice-size="14" v-slot="{ item }">
        <article :key="item.number" :class="looks(item)" :aria-label="item.title + ', message ' + item.number">
          <header>
            <a class="tv-n" :href="'#' + anchor + '-' + item.number" :aria-label="'Link to message ' + item.number"
              @click.prevent="mark(item.number)">{{ item.number }}</a>
            <b>{{ item.title }}</b>
            <span v-if="item.final" class="tv-tag tv-tag-final">{{ last }}</span>
            <span v-else-if="item.sent" class="tv-tag">{{ told }}</span>
            <span class="tv-when" v-if="item.at || item.tokens">{{ quiet(item) }}</span>
          </header>
          <template v-for="part in parts(item)" :key="part.key">
            <p v-if="part.kind === 'end'" class="tv-end"><q-icon name="warning" aria-hidden="true" /> <span><span
              v-for="s in pieces(part)" :class="s.c" :data-sign="s.sign">{{ s.t }}</span></span></p>
            <div v-else-if="part.kind === 'text'" class="tv-body"><pre class="tv-text"><span v-for="s in pieces(part)"
              :class="s.c" :data-sign="s.sign">{{ s.t }}</span></pre>
              <button type="button" class="tv-more" v-if="part.raw" :aria-pressed="part.key in raws"
                @click="swap(part)">{{ rawText(part) }}</button>
              <button type="button" class="tv-more" v-if="part.text.length > part.most" @click="toggle(part)">
                {{ isOpen(part) ? 'Show less' : 'Show all ' + size(part.text.length) }}</button></div>
            <div v-else class="tv-part" :class="['tv-' + part.kind, { 'tv-bad': part.error }]">
              <button type="button" class="tv-fold" :aria-expanded="isOpen(part)" @click="toggle(part)">
                <q-icon :name="isOpen(part) ? 'expand_more' : 'chevron_right'" aria-hidden="true" />
                <q-icon class="tv-kind" :name="part.icon" aria-hidden="true" />
                <span>{{ part.label }}</span><code v-if="part.title" :title="visible(part.title.text)"><span
                  v-for="s in pieces(part.title)" :class="s.c" :data-sign="s.sign">{{ s.t }}</span></code>
                <span v-for="note in part.notes" :key="note.key" class="tv-tag" :class="note.look"><span
                  v-for="s in pieces(note)" :class="s.c" :data-sign="s.sign">{{ s.t }}</span></span>
                <i v-if="part.kind !== 'call' || !part.error">{{ extent(part) }}</i>
                <span v-if="!isOpen(part)" class="tv-peek">{{ peek(part) }}</span>
              </button>
              <pre v-if="isOpen(part) && part.text" class="tv-code"><span v-for="s in pieces(part)" :class="s.c"
                :data-sign="s.sign">{{ s.t }}</span></pre>
              <button type="button" class="tv-more" v-if="part.raw && isOpen(part)" :aria-pressed="part.key in raws"
                @click="swap(part)">{{ rawText(part) }}</button>
              <a v-if="part.call && isOpen(part)" class="tv-back" :href="'#' + anchor + '-' + part.call"
                @click.prevent="mark(part.call)">called in message {{ part.call }}</a>
            </div>
          </template>
          <p v-if="isEmpty(item)" class="tv-none">This message is empty.</p>
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
      items: [],
      loaded: false,
      problem: "",
      query: "",
      hits: [],
      at: -1,
      here: 0,
      open: {},
      all: null,
      only: "",
      passage: null,
      raws: {}, // keys of parts that are shown as they came, with the codes for a terminal
    };
  },
  computed: {
    calls() {
      return this.items.filter((item) => item.calls.length || item.results.length);
    },
    failed() { // numbers of the messages with a failure, and of those that called for it
      const refused = this.items.filter((item) => item.calls.some((call) => call.not_run)).map((item) => item.number);
      const results = this.items.flatMap((item) =>
        item.results.filter((r) => r.error).flatMap((r) => [item.number, r.call])
      );
      return new Set([...refused, ...results]);
    },
    cuts() { // texts that were cut: their message, and their sizes in bytes
      const found = (item) => [item.cut, ...item.results.map((r) => r.cut)].filter(Boolean);
      return this.items.flatMap((item) => found(item).map((cut) => ({ number: item.number, ...cut })));
    },
    cutText() {
      const [before, after] = ["before", "after"].map((name) =>
        bytes(this.cuts.reduce((sum, each) => sum + each[name], 0))
      );
      return (this.cuts.length === 1 ? "Cut text" : this.cuts.length + " cut texts") + ": " + before + " → " + after +
        ",";
    },
    shown() {
      const only = (numbers) => () => this.items.filter((item) => numbers.has(item.number));
      const kept = {
        calls: () => this.calls,
        failed: only(this.failed),
        cut: only(new Set(this.cuts.map((each) => each.number))),
      }[this.only];
      return kept ? Vue.markRaw(kept()) : this.items;
    },
    pattern() {
      const query = this.query.slice(0, LONGEST_QUERY), sign = /^u\+([0-9a-f]{4,5})$/i.exec(query)?.[1];
      const seen = [...query.replace(new RegExp(SKIPPED, "gu"), "")];
      if (!query || seen.join("").length === 1) return null;
      const found = (seen.length ? seen : [...query]).map((each) => each.replace(/[.*+?^${}()|[\]\\/]/, "\\$&")).join(
        SKIPPED + "*",
      );
      // A sign is found by the name that is shown of it.
      return new RegExp(sign ? `${found}|\\u{${sign}}` : found, "giu");
    },
    hitText() {
      if (!this.pattern) return "";
      if (!this.hits.length) return "No matches";
      const count = (number) => number.toLocaleString("en-US");
      return (this.at < 0 ? "" : count(this.at + 1) + " of ") + count(this.hits.length) +
        (this.hits.length >= MOST_HITS ? "+" : "");
    },
    folds() {
      return this.items.some((item) =>
        this.parts(item).some((p) => p.kind !== "end" && (p.kind !== "text" || p.text.length > p.most))
      );
    },
  },
  watch: {
    query() {
      this.find();
    },
  },
  mounted() {
    this.fromHash = () => {
      const [anchor, number] = location.hash.slice(1).split(/-(?=\d+$)/);
      if (anchor === this.anchor) this.go(Number(number));
    };
    addEventListener("hashchange", this.fromHash);
    this.load();
  },
  unmounted() {
    removeEventListener("hashchange", this.fromHash);
  },
  methods: {
    async load() {
      this.problem = "";
      try {
        const reply = await fetch((window.path_prefix || "") + this.url);
        if (!reply.ok) throw new Error(reply.statusText);
        this.items = Vue.markRaw(await reply.json()); // no reactivity over megabytes
        this.loaded = true;
        this.$nextTick(this.passage ? () => this.show(this.passage) : this.fromHash);
      } catch (error) {
        this.problem = "Couldn’t load the trace.";
      }
    },
    parts(item) {
      const part = (kind, i, text, more) => ({ kind, key: item.number + kind + i, number: item.number, text, ...more });
      const note = (kind, i, text, look) => (text ? [part(kind, i, text, { look: "tv-tag-" + look })] : []);
      const title = (kind, i, name) => name && part(kind, i, name);
      const told = ({ styles, raw }) => ({ styles, raw });
      const sizes = (cut) => cut && "cut: " + bytes(cut.before) + " → " + bytes(cut.after);
      return [
        ...item.thinking.map((text, i) => part("thinking", i, text, { label: "Thinking", icon: "psychology" })),
        ...(item.text && !item.results.length
          ? [part("text", 0, item.text, { most: item.role === "system" ? LONG_INSTRUCTIONS : LONG, ...told(item) })]
          : []),
        ...item.calls.map((c, i) =>
          part("call", i, c.arguments, {
            label: "Calls",
            title: title("callname", i, c.name),
            icon: "build",
            error: c.not_run,
            notes: [
              ...note("callnote", i, c.not_run, "bad"),
              ...c.marks.flatMap((mark, n) => note("callmark" + n + "_", i, mark, "bad")),
            ],
          })
        ),
        ...item.results.map((r, i) =>
          part("result", i, r.text, {
            label: "Result",
            title: title("resultname", i, r.name),
            icon: "output",
            error: r.error,
            call: r.call,
            ...told(r),
            notes: [...note("resultnote", i, r.error && "failed", "bad"), ...note("resultcut", i, sizes(r.cut), "cut")],
          })
        ),
        ...note("end", 0, item.end, "bad"),
      ];
    },
    isOpen(part) {
      if (part.key in this.open) return this.open[part.key];
      if (this.all !== null) return this.all;
      return part.text.length <= ({ call: LONG, text: part.most, result: SHORT }[part.kind] ?? -1);
    },
    // Tab leaves the conversation, since it has no end that Tab could reach; arrows go through what is in it.
    walk(event) {
      if (event.ctrlKey || event.altKey || event.metaKey) return;
      const list = event.currentTarget, place = list.getBoundingClientRect(), inside = event.target !== list;
      const all = [...list.querySelectorAll("a[href], button")], at = all.indexOf(event.target);
      const shown = () => all.find((each) => each.getBoundingClientRect().top >= place.top);
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (event.key === "Tab" && (inside || !event.shiftKey)) {
        event.preventDefault();
        if (!inside) shown()?.focus();
        else if (event.shiftKey) list.focus();
        else focusBeyond(list, false);
      } else if (step && inside) {
        event.preventDefault();
        (at < 0 ? shown() : all[at + step])?.focus();
      }
    },
    isEmpty(item) {
      return !item.text && ![item.thinking, item.calls, item.results].some((each) => each.length);
    },
    visible(text) {
      return text.replace(SIGNS, named);
    },
    extent(part) {
      return part.text ? this.size(part.text.length) : part.kind === "call" ? "no arguments" : "empty";
    },
    peek(part) {
      return this.visible(part.text.slice(0, 120));
    },
    swap(part) {
      if (part.key in this.raws) delete this.raws[part.key];
      else this.raws[part.key] = true;
    },
    rawText(part) {
      return part.key in this.raws ? "Show as in a terminal" : "Show as sent";
    },
    toggle(part) {
      this.open[part.key] = !this.isOpen(part);
    },
    foldAll() {
      this.all = !this.all;
      this.open = {};
    },
    looks(item) {
      return ["tv-m", "tv-" + item.role, {
        "tv-sent": item.sent,
        "tv-final": item.final,
        "tv-here": item.number === this.here,
      }];
    },
    size(length) {
      return length === 1 ? "1 character" : length < 1000 ? length + " characters" : (length / 1000).toFixed(1) + " kB";
    },
    quiet(item) {
      const at = item.at ? new Date(item.at) : null;
      const time = at && !isNaN(at)
        ? at.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", second: "2-digit", hour12: false })
        : "";
      return [time, item.tokens ? item.tokens.toLocaleString("en-US") + " tokens" : ""].filter(Boolean).join(" · ");
    },
    // The text in stretches that look alike: styles, signs that are not seen otherwise, matches, a passage.
    pieces(part) {
      const raw = part.key in this.raws,
        long = part.kind === "text" && !this.isOpen(part) && part.text.length > part.most;
      const text = long ? part.text.slice(0, part.most) + " …" : raw ? part.raw : part.text;
      const found = [...(raw ? [] : (part.styles ?? [])), ...this.found(part, text)];
      for (const m of text.matchAll(SIGNS)) found.push([m.index, m.index + m[0].length, "sign", named(m[0])]);
      if (this.passage?.key === part.key) found.push([this.passage.begin, this.passage.end, "tv-passage"]);
      if (!found.length) return [{ t: text, c: "" }];
      found.sort((one, other) => one[0] - other[0]);
      const edges = [...new Set([0, text.length, ...found.flatMap(([begin, end]) => [begin, end])])];
      const places = edges.filter((edge) => edge <= text.length).sort((one, other) => one - other);
      let next = 0, over = [];
      return places.slice(0, -1).map((begin, i) => {
        over = over.filter((each) => each[1] > begin);
        for (; next < found.length && found[next][0] <= begin; next++) over.push(found[next]);
        return {
          t: text.slice(begin, places[i + 1]),
          c: over.map((each) => each[2]).join(" "),
          sign: over.find((each) => each[3])?.[3],
        };
      });
    },
    found(part, text) {
      if (!this.pattern) return [];
      const now = this.hits[this.at];
      return [...text.matchAll(this.pattern)].map((
        m,
        nth,
      ) => [m.index, m.index + m[0].length, now?.key === part.key && now.nth === nth ? "tv-hit tv-now" : "tv-hit"]);
    },
    find() {
      this.hits = [];
      this.at = -1;
      if (!this.pattern) return;
      for (const item of this.items) {
        for (
          const part of this.parts(item).flatMap((each) => [each.title, ...(each.notes ?? []), each].filter(Boolean))
        ) {
          let nth = 0;
          for (const _ of part.text.matchAll(this.pattern)) {
            if (this.hits.length >= MOST_HITS) return;
            this.hits.push({ number: item.number, key: part.key, nth: nth++ });
          }
        }
      }
    },
    step(by) {
      if (!this.hits.length) return;
      this.at = this.at < 0 && by < 0 ? this.hits.length - 1 : (this.at + by + this.hits.length) % this.hits.length;
      const hit = this.hits[this.at];
      this.open[hit.key] = true;
      this.reach(hit.number, ".tv-now", (mark) => mark.scrollIntoView({ block: "center" }));
    },
    go(number) {
      if (!(number >= 1 && number <= this.items.length)) return;
      this.here = number;
      this.reach(number, ".tv-here");
    },
    // Marks a passage and brings it into view: {message, key (of the part), begin, end}.
    show(passage) {
      this.passage = { ...passage, key: passage.message + (passage.key.match(/\D+\d+$/)?.[0] ?? passage.key) };
      if (!this.loaded) return; // `load` does it then
      this.open[this.passage.key] = true;
      this.here = passage.message;
      this.reach(passage.message, ".tv-passage", (mark) => {
        const long = mark.getBoundingClientRect().height > this.$refs.list.$el.clientHeight * 0.7;
        mark.scrollIntoView({ block: long ? "start" : "center" });
      });
    },
    reach(number, what, then = () => {}, tries = 10) { // a list that was only just drawn may lose its first jump
      this.$nextTick(() => {
        if (!this.shown.some((item) => item.number === number)) this.only = "";
        this.$refs.list?.scrollTo(this.shown.findIndex((item) => item.number === number), "start-force");
        setTimeout(() => {
          const found = this.$el?.querySelector?.(what);
          if (found) then(found);
          else if (tries) this.reach(number, what, then, tries - 1);
        }, 60);
      });
    },
    mark(number) {
      history.replaceState(history.state, "", location.pathname + location.search + "#" + this.anchor + "-" + number);
      this.go(number);
    },
  },
};
