import type {JsonObject} from '../../core/json.ts';
import type {
	PayloadKeys,
	RouteBacktest,
	RouteCheck,
	RouteField,
	RoutePreview,
	RouteSavePlan,
	SavedRoute,
} from '../../core/route-editor.ts';
import type {Safe} from '../../core/untrusted.ts';
import type {LineText} from '../../terminal/text/line-editor.ts';
import type {FormPlace} from '../forms/form.ts';
import type {Host} from '../shell/shell.ts';
import type {LocalState} from '../state/source.ts';
import type {Draft} from './draft.ts';
import {inFormOrder} from './settings.ts';

export type EditorStep =
	| {readonly kind: 'form'}
	| {readonly kind: 'diff'; readonly plan: RouteSavePlan; readonly top: number}
	/** Shown once: a new route, a new secret, or a rename. */
	| {
			readonly kind: 'saved';
			readonly saved: SavedRoute;
			/** What was done, in sentences. */
			readonly done: readonly Safe[];
			readonly note?: string;
	  };

/** A route being edited; kept while another pane is open. */
export type EditorState = {
	readonly draft: Draft;
	/** In the order of the form; the field for the name has an empty path. */
	readonly fields: readonly RouteField[];
	/** The selected field, by key because check results can add rows above it, and the text typed in it. */
	readonly place: Omit<FormPlace, 'index'> & {readonly key: string};
	/** Whether the fields without a value are shown too. */
	readonly isUnfolded?: boolean;
	/** The index of the completion that Enter takes after `{`; `undefined` if none is offered. */
	readonly completion: number | undefined;
	/** The text typed to find a field; absent while not searching. */
	readonly find?: LineText | undefined;
	readonly step: EditorStep;
	/** A save is in progress, so the draft must not change. */
	readonly isSaving?: true | undefined;
	/** Identifiers of deliveries to test with, newest first. */
	readonly deliveries: readonly string[];
	readonly delivery: number;
	/** Scroll position of the preview, in rows. */
	readonly sideTop: number;
	readonly keys?: PayloadKeys | undefined;
	readonly check?: RouteCheck | undefined;
	readonly preview?: RoutePreview | undefined;
	readonly backtest?: RouteBacktest | undefined;
	/** Why the target (and profile) named by `key` cannot be delivered to now, see `targetKey`. */
	readonly target?: {readonly key: string; readonly problem: string | undefined};
	/** Increases whenever check or preview may change. */
	readonly version: number;
};

/** The one draft of a session. */
export const editor: LocalState<EditorState | undefined> = {initial: undefined};

/** The edited route. */
export const editorNow = ({local}: Host): EditorState | undefined => local(editor).get();

/** Updates the edited route, if there is one. */
export function changeEditor({local}: Host, update: (state: EditorState) => EditorState): void {
	local(editor).set(state => state && update(state));
}

const nameField: RouteField = {
	path: [],
	kind: 'text',
	description: 'Name of the route, the last part of its URL: a-z, 0-9, "_" and "-"',
	required: true,
};

/** The editor of a draft. */
export const newEditor = (draft: Draft, fields: readonly RouteField[]): EditorState => ({
	draft,
	fields: inFormOrder([nameField, ...fields]),
	// The name of an existing route is seldom changed.
	place: {key: draft.isNew ? '' : 'events', option: 0},
	completion: undefined,
	step: {kind: 'form'},
	deliveries: [],
	delivery: 0,
	sideTop: 0,
	version: 0,
});

/** A definition without secrets that are stored elsewhere: a copy needs its own. */
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

/** A key made of the draft's target and the profile it is checked for. */
export const targetKey = ({deliver = 'log', profile = null}: JsonObject): string =>
	JSON.stringify([deliver, profile]);
