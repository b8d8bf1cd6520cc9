import {once} from 'node:events';
import {connect, createServer, type Socket} from 'node:net';
import {setImmediate as turn} from 'node:timers/promises';
import {isDeepStrictEqual} from 'node:util';
import type {Approval} from '../../source/core/approval.ts';
import type {GatewayEvent} from '../../source/core/events.ts';
import type {JsonObject} from '../../source/core/json.ts';
import {silentLogger} from '../../source/core/log.ts';
import type {GatewayState} from '../../source/core/state.ts';
import {startControlServer} from '../../source/gateway/control/control-server.ts';
import {connectGateway} from '../../source/gateway/control/remote-port.ts';
import type {GatewayPort} from '../../source/gateway/port.ts';
import {createFakeClock} from '../helpers/fake-clock.ts';
import {createFakePort, type FakePort} from '../helpers/fake-port.ts';
import {
	makeShownTool,
	makeField,
	makeFormApproval,
	makeToolApproval,
} from '../helpers/make-approval.ts';
import {makeDelivery, makeGroup, makeRun, received, runChanged} from '../helpers/make.ts';
import {randomOf} from '../helpers/random.ts';
import {temporaryHome} from '../helpers/temporary-home.ts';

export type StreamFuzz = {
	readonly events: number;
	/** How often a whole state was taken by a new face, and by one that had lost its gateway. */
	readonly attached: number;
	readonly reattached: number;
	readonly compared: number;
	/** Where the state of a face was not that of the gateway, as sentences. */
	readonly different: readonly string[];
};

/** What ends a line, a character or a message somewhere, and what is long. */
const hostile = [
	...Array.from('\u2028\u2029\u0085\v\f\r\n\u001C\u001D\u001E\0\uFEFF\u007F\u202E'),
	'\r\n',
	'\n\n',
	'\uD800',
	'\uDFFF',
	'data: []\n\n',
	'event: state\n',
	'"}]',
	'日本',
	'👩‍👩‍👧',
	'é',
	'plain words',
];

const compareEvery = 400;
const attachEvery = 1100;
const loseEvery = 2500;

/**
 * Lets random things with hostile texts happen in a gateway whose real control server is reached through a wire that cuts bytes anywhere, and compares its state with that of an
 * attached face, again and again; faces come, go and lose their gateway meanwhile.
 */
export async function fuzzStream({
	events,
	seed,
}: {
	readonly events: number;
	readonly seed: number;
}): Promise<StreamFuzz> {
	const random = randomOf(seed);
	const upTo = (count: number) => Math.floor(random() * count);
	const happening = randomEvents(random);
	await using home = await temporaryHome();
	const inside = home.file('inside.sock');
	const socket = home.file('gateway.sock');
	const port = createFakePort();
	const clock = createFakeClock();
	const start = async () =>
		startControlServer({port, version: '1', log: silentLogger}, {socket: inside});
	let control = await start();
	await using wire = await cuttingWire({from: socket, to: inside}, random);
	let face = await connectGateway({clock}, {socket});

	const report = {events: 0, attached: 1, reattached: 0, compared: 0};
	const different: string[] = [];
	const compare = async () => {
		await arrived(port, face);
		report.compared++;
		const known = face.getState();
		const wanted: GatewayState = JSON.parse(JSON.stringify(port.getState()));
		for (const key of Object.keys(wanted) as ReadonlyArray<keyof GatewayState>) {
			if (!isDeepStrictEqual(JSON.parse(JSON.stringify(known[key])), wanted[key])) {
				different.push(`seed ${seed}, after ${report.events} events: "${key}" is another`);
			}
		}
	};

	let sinceCompared = 0;
	let sinceAttached = 0;
	let sinceLost = 0;
	while (report.events < events && different.length < 10) {
		const batch = Array.from({length: 1 + upTo(30)}, happening);
		port.emit(...batch);
		report.events += batch.length;
		sinceCompared += batch.length;
		sinceAttached += batch.length;
		sinceLost += batch.length;
		if (sinceCompared >= compareEvery) {
			sinceCompared = 0;
			// oxlint-disable-next-line no-await-in-loop -- one act after the other
			await compare();
		}

		if (sinceAttached >= attachEvery) {
			sinceAttached = 0;
			report.attached++;
			// oxlint-disable-next-line no-await-in-loop -- one act after the other
			await face[Symbol.asyncDispose]();
			// oxlint-disable-next-line no-await-in-loop -- one act after the other
			face = await connectGateway({clock}, {socket});
		}

		if (sinceLost >= loseEvery) {
			sinceLost = 0;
			report.reattached++;
			// oxlint-disable-next-line no-await-in-loop -- one act after the other
			await control[Symbol.asyncDispose]();
			wire.tear();
			// oxlint-disable-next-line no-await-in-loop -- one act after the other
			await stateOf(face, ({gateway}) => !gateway.reachable);
			port.emit(happening());
			// oxlint-disable-next-line no-await-in-loop -- one act after the other
			control = await start();
			clock.advance(2000);
			// oxlint-disable-next-line no-await-in-loop -- one act after the other
			await stateOf(face, ({gateway}) => gateway.reachable);
		}
	}

	await compare();
	await face[Symbol.asyncDispose]();
	await control[Symbol.asyncDispose]();
	return {...report, different};
}

/** Lets a marker follow what happened, and waits for it. */
async function arrived(port: FakePort, face: GatewayPort): Promise<void> {
	const at = (port.getState().logs.at(-1)?.at ?? 0) + 1;
	const record = {at, level: 'info', source: 'marker', message: '', fields: {}} as const;
	port.emit({type: 'log-written', at, record});
	await stateOf(face, ({logs}) => logs.at(-1)?.at === at);
}

async function stateOf(face: GatewayPort, holds: (state: GatewayState) => boolean): Promise<void> {
	const {promise, resolve} = Promise.withResolvers<void>();
	const look = () => {
		if (holds(face.getState())) {
			resolve();
		}
	};

	const leave = face.subscribe(look);
	look();
	await promise;
	leave();
}

/** A socket that hands every connection on, what comes back in pieces of any size, mostly small ones. */
async function cuttingWire(
	{from, to}: {readonly from: string; readonly to: string},
	random: () => number,
): Promise<AsyncDisposable & {tear(): void}> {
	const open = new Set<Socket>();
	const server = createServer(near => {
		const far = connect(to);
		near.pipe(far);
		for (const [socket, other] of [
			[near, far],
			[far, near],
		] as const) {
			open.add(socket);
			socket.on('error', () => {});
			socket.on('close', () => {
				open.delete(socket);
				other.destroy();
			});
		}

		void (async () => {
			try {
				for await (const chunk of far) {
					const bytes = chunk as Buffer;
					for (let start = 0; start < bytes.length;) {
						const end = start + Math.ceil(2 ** (random() * 16));
						near.write(bytes.subarray(start, end));
						start = end;
						await turn();
					}
				}
			} catch {
				// Torn; the face sees the end of its connection.
			}

			near.end();
		})();
	});
	server.listen(from);
	await once(server, 'listening');
	const tear = () => {
		for (const socket of open) {
			socket.destroy();
		}
	};

	return {
		tear,
		async [Symbol.asyncDispose]() {
			tear();
			server.close();
			await once(server, 'close');
		},
	};
}

/** Makes events of every kind that holds a stranger's text. */
function randomEvents(random: () => number): () => GatewayEvent {
	const upTo = (count: number) => Math.floor(random() * count);
	const pick = <Item>(items: readonly Item[]): Item => items[upTo(items.length)] as Item;
	const text = () => {
		const words = Array.from({length: upTo(6)}, () => pick(hostile)).join('');
		return random() < 0.001 ? words + pick(hostile).repeat(10_000) : words;
	};

	const args = (): JsonObject =>
		Object.fromEntries(Array.from({length: upTo(4)}, () => [text(), text()]));
	let id = 0;
	let at = 1_700_000_000_000;
	const waiting: Approval[] = [];
	const request = (): GatewayEvent => {
		id++;
		const approval =
			random() < 0.5
				? makeToolApproval({
						id,
						args: args(),
						tool: makeShownTool({description: text(), tool: text()}),
					})
				: makeFormApproval({id, message: text(), fields: [makeField({title: text()})]});
		waiting.push(approval);
		return {type: 'approval-requested', at, approval};
	};

	const makers: ReadonlyArray<() => GatewayEvent> = [
		() => received(makeDelivery({route: text(), event: text(), deliveryId: text()})),
		() =>
			runChanged(
				makeRun({id: upTo(300), state: pick(['running', 'done', 'failed']), error: text()}),
			),
		() => ({
			type: 'run-progressed',
			at,
			runId: upTo(300),
			entry: {at, kind: 'text', text: text()},
		}),
		() => ({type: 'group-changed', at, group: makeGroup({id: upTo(100), key: text()})}),
		request,
		() => {
			const approval = waiting.shift();
			return approval
				? {
						type: 'approval-settled',
						at,
						approval: {...approval, decision: {outcome: 'denied', at, by: text(), reason: text()}},
					}
				: request();
		},
		() => ({
			type: 'config-rejected',
			at,
			problems: [
				{file: text(), line: 1, column: 1, key: text(), message: text(), severity: 'error'},
			],
		}),
		() => ({type: 'model-refused', at, reason: text()}),
		() => ({
			type: 'log-written',
			at,
			record: {at, level: 'warn', source: 'x', message: text(), fields: {[text()]: text()}},
		}),
	];
	return () => {
		at++;
		return pick(makers)();
	};
}
