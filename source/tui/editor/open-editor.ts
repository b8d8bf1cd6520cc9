import type {RouteView} from '../../core/config-view.ts';
import {decidedOutcomes} from '../../core/delivery.ts';
import type {RotatedRoute} from '../../core/route-editor.ts';
import {type Safe, escapeLine} from '../../core/untrusted.ts';
import {literal, safe} from '../../terminal/text/safe.ts';
import {dayTime} from '../../terminal/text/time.ts';
import {change} from '../acts/navigate.ts';
import {placeNow, type StillHere} from '../acts/place.ts';
import {openMenu} from '../dialogs/questions.ts';
import type {Shell} from '../shell/shell.ts';
import type {Draft} from './draft.ts';
import {enterField} from './edit-field.ts';
import {changeEditor, editor, newEditor, withoutKept} from './editor-state.ts';
import {refresh} from './refresh.ts';

const maxDeliveries = 20;

/** Makes a draft and opens its form, unless the person has left by then. `asked`: the pressed key. If `make` returns `undefined`, nothing opens. */
function begin(shell: Shell, asked: Safe, make: () => Promise<Draft | undefined>): void {
	const isStillHere = placeNow(shell, asked);
	shell.attempt(async () => {
		const draft = await make();
		if (draft) {
			await open(shell, isStillHere, draft);
		}
	});
}

/** Opens the form of a route. */
export const editRoute = (shell: Shell, {name, source}: RouteView): void =>
	begin(shell, literal('e'), async () => {
		const read = await shell.port.readRoute(name, {source});
		if (!read) {
			shell.toast(safe`There is no route ${escapeLine(name)} in its file any more`, 'warn');
			return undefined;
		}

		const {definition, fingerprint} = read;
		return {
			name,
			from: name,
			isNew: false,
			source,
			fingerprint,
			traffic: name,
			base: definition,
			definition,
			past: [],
		};
	});

const fresh: Draft = {
	name: '',
	from: '',
	isNew: true,
	source: 'dynamic',
	fingerprint: 'none',
	traffic: '',
	base: {},
	definition: {},
	past: [],
};

/** Asks where to store a new route, and opens its form. */
export function addRoute(shell: Shell): void {
	const entry = (key: string, label: Safe, source: Draft['source']) => ({
		key,
		label,
		run: () => begin(shell, literal('a'), async () => ({...fresh, source})),
	});
	openMenu(shell, {
		title: literal('A new route'),
		notes: [literal('Where is it to be written? Of two with one name that of config.yaml counts.')],
		items: [
			entry('s', literal('webhook_subscriptions.json, as svc webhook subscribe does'), 'dynamic'),
			entry('c', literal('config.yaml, whose comments and order stay'), 'static'),
		],
	});
}

/** Opens the form of a new dynamic route with these initial values. */
export const addRouteWith = (
	shell: Shell,
	begun: Pick<Draft, 'name' | 'definition' | 'traffic'>,
): void => begin(shell, literal('S'), async () => ({...fresh, ...begun}));

/** Opens the form of a new dynamic route with another route's settings, except its secrets. */
export function copyRoute(shell: Shell, {name, source}: RouteView): void {
	const isStillHere = placeNow(shell, literal('Y'));
	shell.attempt(async () => {
		const read = await shell.port.readRoute(name, {source});
		if (read) {
			const fields = await shell.port.listRouteFields();
			const definition = withoutKept(read.definition, fields);
			if (await open(shell, isStillHere, {...fresh, traffic: name, definition})) {
				shell.toast(literal('A copy gets a name and a secret of its own'));
			}
		}
	});
}

/** Shows a new secret, this once, in the pane where it was requested. If the person has moved on, that is not replaced: the secret is in the file. */
export function showSecret(
	shell: Shell,
	{name, pane, saved}: {readonly name: string; readonly pane: string; readonly saved: RotatedRoute},
): void {
	const now = shell.view.get();
	const [route, file] = [escapeLine(name), escapeLine(saved.file)];
	if (shell.local(editor).get() || now.overlay || now.field || now.pane !== pane) {
		shell.toast(safe`${route} has a new secret: it stands in ${file}`, 'good');
		return;
	}

	const done = [safe`${route} has a new secret in ${file}`];
	const note =
		saved.until === undefined
			? 'The old secret does not pass any more.'
			: `The old secret passes until ${dayTime(saved.until)}: give the sender the new one before.`;
	const step = {kind: 'saved', saved, done, note} as const;
	shell.local(editor).set(() => ({...newEditor({...fresh, name}, []), step}));
	change(shell, {region: 'list', isZoomed: false, field: undefined});
}

/** Opens a draft's form, unless the person has moved on; returns whether it did. */
async function open(shell: Shell, isStillHere: StillHere, draft: Draft): Promise<boolean> {
	const {traffic} = draft;
	const [fields, deliveries, keys] = await Promise.all([
		shell.port.listRouteFields(),
		traffic === ''
			? []
			: shell.port.listDeliveries({
					route: traffic,
					outcomes: decidedOutcomes,
					limit: maxDeliveries,
				}),
		traffic === '' ? undefined : shell.port.listPayloadKeys(traffic),
	]);
	// A form that was opened meanwhile stays.
	if (!isStillHere(literal('The form was not opened')) || shell.local(editor).get()) {
		return false;
	}

	shell.local(editor).set(() => newEditor(draft, fields));
	changeEditor(shell, state => ({...state, deliveries: deliveries.map(({id}) => id), keys}));
	change(shell, {region: 'list', isZoomed: false, field: undefined});
	refresh(shell);
	if (draft.isNew) {
		// A new route needs a name first, and letters typed at once must not act as commands.
		enterField(shell);
	}

	return true;
}
