import type {JsonObject} from '../../core/json.ts';
import type {
	PayloadKeys,
	RouteBacktest,
	RouteCheck,
	RouteDefinition,
	RouteField,
	RoutePreview,
	RouteSavePlan,
	RotatedRoute,
	SavedRoute,
} from '../../core/route-editor.ts';
import type {AreaText} from '../../terminal/text/area-editor.ts';
import type {LineText} from '../../terminal/text/line-editor.ts';
import type {Host} from '../shell/shell.ts';
import type {LocalState} from '../shell/source.ts';
import type {Draft} from './draft.ts';

/** What is typed into the field that keys act on. */
export type Typing =
	| {readonly kind: 'line'; readonly text: LineText}
	| {readonly kind: 'area'; readonly text: AreaText};

export type EditorStep =
	| {readonly kind: 'form'}
	| {readonly kind: 'diff'; readonly plan: RouteSavePlan; readonly top: number}
	/** Somebody else changed the route; absent: it is gone. */
	| {readonly kind: 'conflict'; readonly theirs: RouteDefinition | undefined}
	/** Something that is told once: of a new route, or of a new secret. */
	| {readonly kind: 'saved'; readonly name: string; readonly saved: SavedRoute}
	| {
			readonly kind: 'saved';
			readonly name: string;
			readonly saved: RotatedRoute;
			readonly isRotated: true;
	  };

/** A route that is being edited. It stays when another pane is looked at. */
export type EditorState = {
	readonly draft: Draft;
	/** The name of a new one comes first, with an empty path. */
	readonly fields: readonly RouteField[];
	/** The field that keys act on. */
	readonly index: number;
	readonly typing?: Typing | undefined;
	/** Of what can complete a `{`: the one that Enter takes; `undefined`: nobody wants them now. */
	readonly completion: number | undefined;
	readonly step: EditorStep;
	/** Identifiers of deliveries to look at, the newest first. */
	readonly deliveries: readonly string[];
	readonly delivery: number;
	readonly keys?: PayloadKeys | undefined;
	readonly check?: RouteCheck | undefined;
	readonly preview?: RoutePreview | undefined;
	readonly backtest?: RouteBacktest | undefined;
	/** Grows with what may change these. */
	readonly version: number;
};

/** The one draft of a session. */
export const editor: LocalState<EditorState | undefined> = {initial: undefined};

/** What is being edited. */
export const editorNow = ({local}: Pick<Host, 'local'>): EditorState | undefined =>
	local(editor).get();

/** Changes what is being edited, where something is. */
export function changeEditor(
	{local}: Pick<Host, 'local'>,
	update: (state: EditorState) => EditorState,
): void {
	local(editor).set(state => state && update(state));
}

/** The field that keys act on. */
export const currentField = ({fields, index}: EditorState): RouteField | undefined => fields[index];

const nameField: RouteField = {
	path: [],
	kind: 'text',
	description: 'Name of the route, the last part of its URL: a-z, 0-9, "_" and "-"',
	required: true,
};

/** The editor of a draft. */
export const newEditor = (draft: Draft, fields: readonly RouteField[]): EditorState => ({
	draft,
	fields: draft.isNew ? [nameField, ...fields] : fields,
	index: 0,
	completion: undefined,
	step: {kind: 'form'},
	deliveries: [],
	delivery: 0,
	version: 0,
});

/** A definition without the secrets that are kept in another place: a copy needs its own. */
export const withoutKept = (definition: JsonObject, fields: readonly RouteField[]): JsonObject =>
	Object.fromEntries(
		Object.entries(definition).filter(
			([key, value]) =>
				!(
					fields.some(({path, secret}) => secret === true && path[0] === key) &&
					JSON.stringify(value).includes('<kept: ')
				),
		),
	);

/** Where what is typed, or chosen, for the `{` before the cursor would come from. */
export function completionsOf({typing, keys, completion}: EditorState): readonly string[] {
	const begun = typing && begunKey(typing);
	return begun === undefined || completion === undefined
		? []
		: [...(keys?.keys ?? []).map(({key}) => key), 'event_type', '__raw__'].filter(
				key => key.includes(begun) && key !== begun,
			);
}

/** What stands between the cursor and the `{` before it. */
export function begunKey(typing: Typing): string | undefined {
	const before = beforeCursor(typing);
	return /\{([^{}]*)$/.exec(before)?.[1];
}

const graphemes = new Intl.Segmenter(undefined, {granularity: 'grapheme'});

function beforeCursor({kind, text}: Typing): string {
	const [line, count] =
		kind === 'line' ? [text.value, text.cursor] : [text.lines[text.row] ?? '', text.column];
	return [...graphemes.segment(line)]
		.slice(0, count)
		.map(({segment}) => segment)
		.join('');
}
