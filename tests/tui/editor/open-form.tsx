import {readFileSync, writeFileSync} from 'node:fs';
import {setImmediate as turn} from 'node:timers/promises';
import {routeViews} from '../../../source/config/route-table.ts';
import {systemClock} from '../../../source/core/clock.ts';
import type {StoredDelivery} from '../../../source/core/delivery.ts';
import type {Emit} from '../../../source/core/events.ts';
import type {JsonObject} from '../../../source/core/json.ts';
import {silentLogger} from '../../../source/core/log.ts';
import {createRouteEditorCommands} from '../../../source/gateway/commands/route-editor-commands.ts';
import {createLiveConfig} from '../../../source/gateway/live-config.ts';
import type {Rooms} from '../../../source/gateway/rooms.ts';
import {createTemporaryHome} from '../../config/temporary-home.ts';
import {createFakePort} from '../../helpers/fake-port.ts';
import {makeDelivery} from '../../helpers/make.ts';
import {until} from '../../helpers/processes.ts';
import {showShell} from '../../helpers/show-shell.tsx';

/** A secret that no screen may show. */
export const ownSecret = 'own-secret-of-the-hook';

const config = `platforms:
  webhook:
    enabled: true
    host: 127.0.0.1
    secret: ${ownSecret}
    routes:
      # mine
      fixed: {events: [push]} # few
`;

/** The real files of a home, and the real commands for editing its routes. */
export async function openRoutes(
	payloads: readonly JsonObject[] = [],
	problems: Readonly<Record<string, string>> = {},
) {
	// The first command that needs them would take longer than any test waits.
	await Promise.all([
		import('../../../source/config/route-edit/save-draft.ts'),
		import('../../../source/gateway/route-editor/backtest.ts'),
		import('../../../source/gateway/route-editor/preview.ts'),
		import('../../../source/webhook/admission.ts'),
		import('../../../source/webhook/filter-files.ts'),
		import('../../../source/gateway/jobs/find-cron-job.ts'),
		import('../../../source/gateway/receiver/sample-event.ts'),
	]);
	const stack = new AsyncDisposableStack();
	const {paths} = stack.use(createTemporaryHome());
	writeFileSync(paths.config, config);
	writeFileSync(
		paths.subscriptions,
		JSON.stringify({hook: {prompt: 'Look at {number}', secret: ownSecret, events: ['push']}}),
	);
	let emit: Emit = () => {};
	const live = createLiveConfig(
		{
			paths,
			environment: {},
			clock: systemClock,
			emit(event) {
				emit(event);
			},
			log: silentLogger,
		},
		{async onChange() {}, onSecrets() {}},
	);
	const stored = payloads.map((payload, index): StoredDelivery => {
		const body = Buffer.from(JSON.stringify(payload));
		return {
			...makeDelivery({
				route: 'hook',
				event: 'push',
				bodyBytes: body.length,
				receivedAt: 1000 - index,
			}),
			headers: {'content-type': 'application/json', 'x-github-event': 'push'},
			body,
		};
	});
	// The newest was turned away, as most are where a rate is exceeded: nothing of it is kept to be looked at.
	const refused = makeDelivery({route: 'hook', outcome: 'rate', status: 429, receivedAt: 2000});
	const journal = {
		list: async ({
			route,
			outcomes,
		}: {
			readonly route?: string;
			readonly outcomes?: readonly string[];
		}) =>
			route === 'hook'
				? [refused, ...stored].filter(({outcome}) => outcomes?.includes(outcome) ?? true)
				: [],
		get: async (id: string) => stored.find(one => one.id === id),
	};
	const port = createFakePort({routes: routeViews(live.routes())});
	emit = event => {
		port.emit(event);
	};
	Object.assign(
		port,
		{listDeliveries: journal.list, reload: async () => live.reload()},
		createRouteEditorCommands({
			clock: systemClock,
			broker: {getState: () => port.getState()},
			live,
			store: {journal},
			deliverer: {problemNow: async (kind: string) => problems[kind]},
			log: silentLogger,
		} as unknown as Rooms),
	);
	return {
		port,
		paths,
		subscriptions: () =>
			JSON.parse(readFileSync(paths.subscriptions, 'utf8')) as Record<string, JsonObject>,
		[Symbol.asyncDispose]: async () => stack.disposeAsync(),
	};
}

/** The pane of routes over such files. */
export async function openRoutesPane({
	size = {columns: 120, rows: 36},
	payloads = [],
	problems = {},
}: {
	readonly size?: {readonly columns: number; readonly rows: number};
	/** Of deliveries of `hook`, the newest first. */
	readonly payloads?: readonly JsonObject[];
	/** Why nothing can be delivered to a target. */
	readonly problems?: Readonly<Record<string, string>>;
} = {}) {
	const stack = new AsyncDisposableStack();
	const {port, paths, subscriptions} = stack.use(await openRoutes(payloads, problems));
	const shown = stack.use(await showShell(port, size, {pane: 'routes'}));
	const shows = async (...texts: readonly string[]) => {
		const isThere = () => texts.some(text => shown.text().includes(text));
		// Files are written meanwhile.
		await until(async () => {
			await shown.pass(0);
			return isThere();
		});
	};

	return {
		shown,
		paths,
		port,
		shows,
		press: async (...keys: readonly string[]) => shown.screen.press(...keys),
		type: async (text: string) => shown.screen.type(text),
		/** What a rested draft is asked about is answered. */
		async rest() {
			await shown.pass(1000);
			for (let round = 0; round < 20; round++) {
				// oxlint-disable-next-line no-await-in-loop -- as above
				await turn();
			}

			await shown.pass(0);
		},
		subscriptions,
		[Symbol.asyncDispose]: async () => stack.disposeAsync(),
	};
}
