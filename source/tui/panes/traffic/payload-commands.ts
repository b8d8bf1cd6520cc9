import {isRejection, type Delivery} from '../../../core/delivery.ts';
import {type Safe, escapeLine} from '../../../core/untrusted.ts';
import type {GatewayPort} from '../../../gateway/port.ts';
import {payloadText, routeFor} from '../../../nouns/delivery/delivery-copies.ts';
import {literal, safe} from '../../../terminal/text/safe.ts';
import type {PaneCommand} from '../../acts/command.ts';
import {copyText} from '../../acts/copy.ts';
import {jumpTo} from '../../acts/jump.ts';
import {moveCursor, openDetail} from '../../acts/navigate.ts';
import {menu, openMenu, type MenuItem} from '../../dialogs/questions.ts';
import {editorNow} from '../../editor/editor-state.ts';
import {addRouteWith} from '../../editor/open-editor.ts';
import {deliveryList, storedDeliveries} from '../../entries/delivery-list.ts';
import {routeList} from '../../entries/lists.ts';
import {fieldOf, cursorIn} from '../../lines/detail-cursor.ts';
import {onSelected} from '../../nouns/acts.ts';
import {
	filterJson,
	filterOf,
	filterYaml,
	passes,
	type FieldFilter,
	type PayloadField,
} from '../../payload/payload-field.ts';
import type {Shell} from '../../shell/shell.ts';

/** The field that the chosen row shows. Where it shows none, the next row that does is chosen, and nothing is done yet. */
function fieldUnderCursor(shell: Shell): PayloadField | undefined {
	if (shell.view.get().region === 'list') {
		openDetail(shell);
	}

	const rows = shell.detail.lines();
	const {cursor, field} = cursorIn(rows, shell.view.get());
	if (field) {
		return field;
	}

	const next = rows.findIndex((row, index) => index >= cursor && fieldOf(row));
	if (next !== -1) {
		moveCursor(shell, next);
		shell.toast(literal('j k to a field, then s once more'));
		return undefined;
	}

	const loaded = shell.loader(storedDeliveries).get();
	const why =
		loaded.status === 'loading'
			? literal('The payload is loading: s once more')
			: loaded.status === 'ready' && loaded.value.body === undefined
				? literal('The payload of this delivery is not kept')
				: literal('No field of a JSON payload stands below');
	shell.toast(why, 'warn');
	return undefined;
}

/** Offers the filter of a route that passes what has the same value, and says how many past events would have passed. */
function filterFromField(shell: Shell, {route}: Delivery): void {
	const field = fieldUnderCursor(shell);
	if (!field) {
		return;
	}

	const loaded = shell.loader(storedDeliveries).get();
	const filter = loaded.status === 'ready' ? filterOf(field, payloadText(loaded.value)) : undefined;
	if (!filter) {
		shell.toast(
			field.path.some(name => name.includes('.'))
				? literal('A name with a dot in it cannot be named in a filter')
				: literal('No filter of a route can read this field'),
			'warn',
		);
		return;
	}

	const copying = (key: string, label: Safe, text: string): MenuItem => ({
		key,
		label,
		run: () => shell.attempt(async () => copyText(shell, text, literal('filter'))),
	});
	const {equals} = filter;
	const words =
		equals === undefined ? literal('exists') : safe`equals ${escapeLine(JSON.stringify(equals))}`;
	const what = safe`${escapeLine(filter.field)} ${words}`;
	const items = [
		copying(
			'y',
			literal('copy it as YAML, for "filters:" of the route in config.yaml'),
			filterYaml(filter),
		),
		copying(
			'j',
			literal('copy it as JSON, for `svc webhook subscribe NAME --filters-file FILE`'),
			filterJson(filter),
		),
		copying(
			'x',
			literal('copy the opposite as YAML: it excludes these events'),
			filterYaml(filter, true),
		),
	];
	openMenu(shell, {
		title: literal('Filter from a field'),
		notes: [what, literal('Looking at past events …')],
		items,
	});
	const isOpen = () => menu.now(shell)?.items[0]?.run === items[0]?.run;

	shell.attempt(async () => {
		const {passed, seen} = await backTest(shell.port, {route, filter, isWanted: isOpen});
		if (isOpen()) {
			menu.change(shell, now => ({
				...now,
				notes: [
					what,
					safe`Would pass ${passed} of the last ${seen} events of ${escapeLine(route)}.`,
				],
			}));
		}
	});
}

/** Bodies that are looked at, and how large one may be: each costs the gateway a moment. */
const backTestLimits = {listed: 300, bodies: 100, bytes: 65_536} as const;

type BackTest = {
	readonly route: string;
	readonly filter: FieldFilter;
	readonly isWanted: () => boolean;
};

/** How many of the latest events of a route pass `filter`. Ends early once `isWanted` says no. */
async function backTest(
	port: Pick<GatewayPort, 'listDeliveries' | 'getDelivery'>,
	{route, filter, isWanted}: BackTest,
): Promise<{readonly passed: number; readonly seen: number}> {
	const listed = await port.listDeliveries({route, limit: backTestLimits.listed});
	let passed = 0;
	let seen = 0;
	for (const {id} of listed.filter(isEvent)) {
		if (seen >= backTestLimits.bodies || !isWanted()) {
			break;
		}

		// oxlint-disable-next-line no-await-in-loop -- one body at a time: the gateway has other things to do
		const delivery = await port.getDelivery(id);
		if (delivery?.body) {
			seen += 1;
			passed += passes(filter, payloadText(delivery)) ? 1 : 0;
		}
	}

	return {passed, seen};
}

/** Whether its payload came to the filters of the route, or would have. */
const isEvent = (delivery: Delivery): boolean =>
	!isRejection(delivery) &&
	delivery.outcome !== 'challenge' &&
	delivery.replayOf === undefined &&
	delivery.bodyBytes <= backTestLimits.bytes;

/** Opens the form of a new route with what the event says, in the pane of routes; Esc there leads back. */
function subscribe(shell: Shell, delivery: Delivery): void {
	if (editorNow(shell)) {
		shell.toast(literal('A route is being edited in Routes: save or leave it first'), 'warn');
		return;
	}

	jumpTo(shell, routeList);
	addRouteWith(shell, {...routeFor(delivery), traffic: delivery.route});
}

/** Commands that make something of what a delivery holds. */
export const payloadCommands: readonly PaneCommand[] = [
	onSelected(deliveryList)(['traffic.filter-from-field', 's'], literal('filter from field'), {
		// Where it acts on nothing yet, it is named where there is room.
		quiet({view}) {
			const {region, size} = view.get();
			return region === 'list' && size.columns < 120;
		},
		run: (shell, {delivery}) => filterFromField(shell, delivery),
	}),
	onSelected(deliveryList)(['traffic.subscribe', 'S'], literal('new route for such events'), {
		changes: true,
		quiet: true,
		run: (shell, {delivery}) => subscribe(shell, delivery),
	}),
];
