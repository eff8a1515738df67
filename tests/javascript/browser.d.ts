// The window of the application as its scripts find it: NiceGUI's and our own globals, and the modules that NiceGUI
// serves. As far as we use them; for `deno check` and editors alone.

/** A component of NiceGUI, and what is in it; each kind has its own. */
type Component = any;

declare function getElement(id: number): Component;
declare function getHtmlElement(id: number): HTMLElement | null;
declare function emitEvent(name: string, ...args: unknown[]): void;

interface Window {
  path_prefix?: string;
  did_handshake?: boolean;
  socket: any;
  /** Requests that the page itself began, by their paths: see `fetch_ahead`. */
  ahead?: Record<string, Promise<Response>>;
  outbox: Outbox;
  kareninaCells: Cells;
  kareninaTable: { link(row: any): HTMLElement };

  kareninaReplace: Record<"place" | "before" | "after" | "reason", (row: any) => Node | string>;
  kareninaProblems: { cell(of: { value: string }): HTMLElement };
  copyText(text: string, said: string): Promise<void>;
  exportFile(path: string): void;
  holdStill(id: number): boolean;
  letGo(id: number): void;
  afterMenu(act: () => void): Promise<void>;
  goToPart(step: number): void;
  focusBeyond(place: Element, back: boolean): void;
  enterTable(selector: string): void;
  holdTyping(field: string): void;
  listenForShortcuts(shortcuts: Record<string, { id: string; act?: () => void; field?: string }>): void;
}

interface Outbox {
  keep(drawnAs: string, value: any, first: any, control?: number): void;
  keepWord(place: string, value: string, control: number): void;
  enterWord(place: string, control: number): void;
  settleWords(place: string, stored: string[]): void;
  settle(place: string, value: any, base?: any): void;
  settleCells(place: string, cells: Record<string, string>, lines: string[]): void;
  offer(): Promise<void>;
  unsavedCount(): number;
}

interface Cells {
  done(question: any): string;
  finished(done: string): HTMLElement;
  lines(text: string): HTMLElement;
  template(state: string, words: Record<string, string>): HTMLElement;
}

/** AG Grid. */
interface Column {
  cellRenderer?(of: any): Node | string;
  valueGetter?(of: any): unknown;
  valueFormatter?(of: any): string;
  tooltipValueGetter?(of: any): string | undefined;
  children?: Column[];
  [option: string]: unknown;
}

interface GridApi {
  setGridOption(name: "columnDefs", value: Column[]): void;
  setColumnsVisible(keys: string[], visible: boolean): void;
  setGridOption(name: "datasource", value: { getRows(asked: any): Promise<void> }): void;
  setGridOption(name: "doesExternalFilterPass", value: (node: any) => boolean): void;
  setGridOption(name: string, value: unknown): void;
  updateGridOptions(options: { columnDefs: Column[]; [option: string]: unknown }): void;
  addEventListener(name: string, act: (event: any) => void): void;
  forEachNode(act: (node: any) => void): void;
  forEachNodeAfterFilterAndSort(act: (node: any) => void): void;
  getSelectedNodes(): any[];
  getSelectedRows(): any[];
  isDestroyed(): boolean;
  [method: string]: any;
}

declare module "vue" {
  /** A property whose constructor does not tell its type. */
  export type PropOf<T> = (ObjectConstructor | ArrayConstructor) & { readonly __prop: T };
  type Made<P> = P extends { readonly __prop: infer T } ? T
    : P extends StringConstructor ? string
    : P extends NumberConstructor ? number
    : P extends BooleanConstructor ? boolean
    : P extends { type: infer T } ? Made<T>
    : any;
  type Instance<P, S, D, C, M> =
    & { readonly [K in keyof P]: Made<P[K]> }
    & S
    & D
    & { readonly [K in keyof C]: C[K] extends () => infer T ? T : never }
    & M
    & {
      $el: HTMLElement;
      $refs: Record<string, any>;
      $emit(event: string, ...args: unknown[]): void;
      $nextTick(act?: () => void): Promise<void>;
    };
  interface Options<P, S, D, C, M> {
    template: string;
    props?: P;
    emits?: string[];
    /** Fields that nothing drawn depends on. */
    setup?: () => S;
    data?: () => D;
    computed?: C;
    methods?: M;
    watch?: Record<string, () => void>;
    created?(): void;
    mounted?(): void;
    beforeUnmount?(): void;
    unmounted?(): void;
  }
  export function defineComponent<P = {}, S = {}, D = {}, C = {}, M = {}>(
    options: Options<P, S, D, C, M> & ThisType<Instance<P, S, D, C, M>>,
  ): object;
  export function markRaw<T extends object>(value: T): T;
  export function toRaw<T>(value: T): T;
}

declare module "nicegui-plotly" {
  export const Plotly: any;
}

declare module "nicegui-codemirror" {
  export type View = any;
  /** State of an editor. */
  export interface Field {
    create(): any;
    update(value: any, transaction: any): any;
    provide(self: any): any;
  }
  export interface Text {
    lines: number;
    line(number: number): { from: number; to: number; text: string };
  }
  export class GutterMarker {
    range(at: number): unknown;
  }
  export const StateField: { define(of: Field): any };
  export const StateEffect: any, Decoration: any, RangeSet: any, EditorView: any, EditorState: any;
  export const gutter: any, syntaxTree: any;
}
