// A figure of plotly, in the colours of the window. Its code is loaded when the first one is drawn.
import { toRaw } from "vue";

const CONFIG = { displayModeBar: false, responsive: false, doubleClick: false, showTips: false };
const loaded = () => import("nicegui-plotly").then((found) => found.Plotly);
const isDark = () => document.body.classList.contains("body--dark");
const isWide = (figure, place) => place.clientWidth >= (figure.layout.meta?.from ?? Infinity);
const sizeOf = (place) => place.clientWidth + "x" + place.clientHeight;

export default {
  template: `<div class="cv" role="img" :aria-label="label"><div ref="plot" class="cv-plot"></div></div>`,
  props: { figure: Object, dark: Boolean, label: String },
  watch: {
    figure() {
      this.draw();
    },
  },
  async mounted() {
    this.themes = new MutationObserver(() => this.compare());
    this.themes.observe(document.body, { attributes: true, attributeFilter: ["class"] });
    this.compare();
    this.plotly = await loaded();
    if (!this.$refs.plot) return; // left meanwhile
    this.sizes = new ResizeObserver(() => this.fit());
    this.sizes.observe(this.$el);
    await this.draw();
  },
  beforeUnmount() {
    this.themes.disconnect();
    this.sizes?.disconnect();
    if (this.drawn) this.plotly.purge(this.$refs.plot);
  },
  methods: {
    compare() { // the figure comes again in the other colours
      if (isDark() !== this.dark) this.$emit("themed", isDark());
    },
    async draw() {
      const figure = toRaw(this.figure), place = this.$refs.plot;
      if (!figure || !this.plotly || !place || this.dark !== isDark()) return;
      place.style.height = figure.layout.height ? figure.layout.height + "px" : "";
      this.size = sizeOf(place);
      this.wide = isWide(figure, place); // there is room for more of the names
      const layout = this.wide ? { ...figure.layout, ...figure.layout.meta } : figure.layout;
      await this.plotly.react(place, figure.data, layout, CONFIG);
      if (!this.drawn) this.listen(place);
      this.drawn = true;
      this.$el.dataset.drawn = Number(this.$el.dataset.drawn || 0) + 1;
    },
    async fit() { // what was drawn for this size already is not drawn once more
      const place = this.$refs.plot, size = sizeOf(place);
      if (!this.drawn || size === this.size || !place.offsetParent) return;
      if (isWide(toRaw(this.figure), place) !== this.wide) await this.draw();
      this.size = size;
      this.plotly.Plots.resize(place);
    },
    listen(place) {
      const row = (event) => [event.points[0]?.customdata].flat()[0];
      place.on("plotly_click", (event) => {
        if (row(event) != null) this.$emit("chosen", row(event));
      });
      place.on("plotly_hover", (event) => place.classList.toggle("cv-leads", row(event) != null));
      place.on("plotly_unhover", () => place.classList.remove("cv-leads"));
    },
    async save(format, figure, size, name) { // never through the server: pictures may be large
      const plotly = await loaded();
      const link = document.createElement("a");
      link.href = await plotly.toImage(figure, { format, ...size, scale: format === "png" ? 2 : 1 });
      link.download = name;
      link.click();
    },
  },
};
