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

/** The payload field of the selected row. If the row shows none, selects the next row that does, and returns nothing. */
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

/** Offers a route filter for events with the same value, and counts past events that it would have passed. */
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

/** How many deliveries are tested, and the largest body: each costs the gateway time. */
const backTestLimits = {listed: 300, bodies: 100, bytes: 65_536} as const;

type BackTest = {
	readonly route: string;
	readonly filter: FieldFilter;
	readonly isWanted: () => boolean;
};

/** Counts the latest events of a route that pass `filter`. Stops once `isWanted` returns false. */
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

/** Whether the delivery reached its route's filters, or would have. */
const isEvent = (delivery: Delivery): boolean =>
	!isRejection(delivery) &&
	delivery.outcome !== 'challenge' &&
	delivery.replayOf === undefined &&
	delivery.bodyBytes <= backTestLimits.bytes;

/** Opens the form of a new route with initial values from the event, in the pane of routes; Esc returns. */
function subscribe(shell: Shell, delivery: Delivery): void {
	if (editorNow(shell)) {
		shell.toast(literal('A route is being edited in Routes: save or leave it first'), 'warn');
		return;
	}

	jumpTo(shell, routeList);
	addRouteWith(shell, {...routeFor(delivery), traffic: delivery.route});
}

/** Commands that use a delivery's payload. */
export const payloadCommands: readonly PaneCommand[] = [
	onSelected(deliveryList)(['traffic.filter-from-field', 's'], literal('filter from field'), {
		// Listed only where it would act at once, or where there is room.
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
