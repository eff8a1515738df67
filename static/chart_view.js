// @ts-check
// A figure of plotly in the colors of the window. Its code is loaded when the first one is drawn.
import { defineComponent, toRaw } from "vue";
import { isDark, saveAs, watchColors } from "karenina/dom.js";

/** @typedef {{ data: object[], layout: { height?: number, meta?: { from: number } } }} Figure */
/** @typedef {{ points: { customdata?: any }[] }} Clicked */

const CONFIG = { displayModeBar: false, responsive: false, doubleClick: false, showTips: false };
const loadPlotly = () => import("nicegui-plotly").then((found) => found.Plotly);
/**
 * @param {Figure} figure
 * @param {HTMLElement} place
 */
const isWide = (figure, place) => place.clientWidth >= (figure.layout.meta?.from ?? Infinity);
/** @param {HTMLElement} place */
const sizeKey = (place) => place.clientWidth + "x" + place.clientHeight;

export default defineComponent({
  template: `<div class="chart-view wide fills" role="img" :aria-label="label"><div ref="plot"
    class="chart-view-plot"></div></div>`,
  props: { figure: /** @type {import("vue").PropOf<Figure>} */ (Object), dark: Boolean, label: String },
  setup: () => ({
    endColors: () => {}, // stops following the colors
    sizes: /** @type {ResizeObserver | null} */ (null),
    plotly: /** @type {any} */ (null),
    drawn: false,
    size: "", // for which it was drawn
    wide: false, // room for more of the names
  }),
  watch: {
    figure() {
      this.draw();
    },
  },
  async mounted() {
    this.endColors = watchColors(() => this.checkColors());
    this.checkColors();
    this.plotly = await loadPlotly();
    if (!this.$refs.plot) return; // left meanwhile
    this.sizes = new ResizeObserver(() => this.resize());
    this.sizes.observe(this.$el);
    await this.draw();
  },
  beforeUnmount() {
    this.endColors();
    this.sizes?.disconnect();
    if (this.drawn) this.plotly.purge(this.$refs.plot);
  },
  methods: {
    checkColors() { // the figure comes again in the other colors
      if (isDark() !== this.dark) this.$emit("themed", isDark());
    },
    async draw() {
      const figure = toRaw(this.figure), place = this.$refs.plot;
      if (!figure || !this.plotly || !place || this.dark !== isDark()) return;
      place.style.height = figure.layout.height ? figure.layout.height + "px" : "";
      this.size = sizeKey(place);
      this.wide = isWide(figure, place);
      const layout = this.wide ? { ...figure.layout, ...figure.layout.meta } : figure.layout;
      await this.plotly.react(place, figure.data, layout, CONFIG);
      if (!this.drawn) this.listen(place);
      this.drawn = true;
      this.$el.dataset.drawn = String(Number(this.$el.dataset.drawn || 0) + 1);
    },
    async resize() { // what was drawn for this size already is not drawn once more
      const place = this.$refs.plot, size = sizeKey(place);
      if (!this.drawn || size === this.size || !place.offsetParent) return;
      if (isWide(toRaw(this.figure), place) !== this.wide) await this.draw();
      this.size = size;
      this.plotly.Plots.resize(place);
    },
    /** @param {any} place which plotly has given events */
    listen(place) {
      const rowOfClick = (/** @type {Clicked} */ event) => [event.points[0]?.customdata].flat()[0];
      place.on("plotly_click", (/** @type {Clicked} */ event) => {
        if (rowOfClick(event) != null) this.$emit("chosen", rowOfClick(event));
      });
      place.on(
        "plotly_hover",
        (/** @type {Clicked} */ event) => place.classList.toggle("chart-view-leads", rowOfClick(event) != null),
      );
      place.on("plotly_unhover", () => place.classList.remove("chart-view-leads"));
    },
    /**
     * Never through the server: pictures may be large.
     * @param {"png" | "svg"} format
     * @param {Figure} figure
     * @param {{ width: number, height: number }} size
     * @param {string} name
     */
    async save(format, figure, size, name) {
      const plotly = await loadPlotly();
      saveAs(await plotly.toImage(figure, { format, ...size, scale: format === "png" ? 2 : 1 }), name);
    },
  },
});
