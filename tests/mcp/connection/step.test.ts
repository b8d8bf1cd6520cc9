import * as fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {wakeAt} from '../../../source/mcp/connection/connection-times.ts';
import type {
	ServerAction,
	ServerEvent,
	ServerSettings,
	ServerState,
} from '../../../source/mcp/connection/state.ts';
import {stepServer, unconfigured} from '../../../source/mcp/connection/step.ts';
import {propertyRuns} from '../../helpers/property-runs.ts';

const passing = {kind: 'passing', message: 'connection refused'} as const;
const permanent = {kind: 'permanent', message: 'no such program'} as const;
const needsLogin = {kind: 'needs-login', message: 'needs a login'} as const;
const expired = {kind: 'session-expired', message: 'session expired'} as const;
const streamLost = {kind: 'stream-lost', message: 'stream lost'} as const;

/** A server that is stepped through events; the newest connection is filled in. */
function drive(settings: ServerSettings = {}, random = () => 0) {
	let state: ServerState = unconfigured;
	let now = 0;
	const done: string[] = [];
	const server = {
		get state() {
			return state;
		},
		get now() {
			return now;
		},
		/** Actions since the last look. */
		done: () => done.splice(0),
		pass(ms: number) {
			now += ms;
			return server.send({type: 'woken'});
		},
		send(event: ServerEvent) {
			const step = stepServer(state, event, {now, settings, random});
			state = step.state;
			done.push(...step.actions.map(({type, connection}) => `${type} ${connection}`));
			return server;
		},
		configure: ({enabled = true, lazy = false} = {}) =>
			server.send({type: 'configured', enabled, lazy}),
		connected: () => server.send({type: 'connected', connection: state.connection}),
		refused: (failure = passing as Parameters<typeof fail>[0]) =>
			server.send({type: 'refused', connection: state.connection, failure}),
		lost: (failure = passing as Parameters<typeof fail>[0]) =>
			server.send({type: 'lost', connection: state.connection, failure}),
		call: () => server.send({type: 'call-started', connection: state.connection}),
		called: (answered = true) =>
			server.send({type: 'call-ended', connection: state.connection, answered}),
		/** To the moment of the next try, and over it. */
		wake() {
			const at = wakeAt(state, settings);
			expect(at).toBeDefined();
			return server.pass((at ?? now) - now);
		},
	};
	return server;
}

const fail = (failure: Extract<ServerEvent, {readonly type: 'lost'}>['failure']) => failure;

describe('manual/tool-servers.md#states: "config has enabled: false" → skipped, "no connection, discovery or registration"', () => {
	test('it asks for nothing, whatever happens', () => {
		const server = drive().configure({enabled: false});

		server.send({type: 'called'}).send({type: 'wanted'}).send({type: 'dismissed'}).pass(1e9);

		expect(server.state.status).toBe('skipped');
		expect(server.done()).toEqual([]);
	});

	test('a connection that is open ends', () => {
		const server = drive().configure().connected();

		expect(server.configure({enabled: false}).done()).toEqual(['connect 1', 'end 1']);
	});
});

describe('manual/tool-servers.md#states: lazy', () => {
	test('"first tool call": server is connected on demand', () => {
		const server = drive().configure({lazy: true});
		expect(server.state.status).toBe('lazy');
		expect(server.done()).toEqual([]);

		server.send({type: 'called'});

		expect(server.state.status).toBe('connecting');
		expect(server.done()).toEqual(['connect 1']);
	});

	test('"not yet cached or stale: eager connect"', () => {
		expect(drive().configure({lazy: false}).done()).toEqual(['connect 1']);
	});

	test('calls that come while it connects share the connection', () => {
		const server = drive().configure({lazy: true});

		server.send({type: 'called'}).send({type: 'called'}).send({type: 'wanted'});

		expect(server.done()).toEqual(['connect 1']);
	});
});

describe('tries', () => {
	test('a server that never was connected is tried three times, then parked', () => {
		const server = drive().configure();
		server.refused();
		expect(server.state).toMatchObject({status: 'failed', nextAttemptAt: 1000});
		server.wake().refused();
		expect(server.state).toMatchObject({status: 'failed', nextAttemptAt: 3000});
		server.wake().refused();

		expect(server.state).toMatchObject({
			status: 'parked',
			reason: 'connection refused',
			nextAttemptAt: 303_000,
		});
		expect(server.done()).toEqual(['connect 1', 'connect 2', 'connect 3']);
	});

	test('one that was connected and of use is tried five times', () => {
		const server = drive().configure().connected().call().called().lost();
		const statuses = [];
		for (let tries = 0; tries < 5; tries++) {
			server.wake().refused();
			statuses.push(server.state.status);
		}

		expect(statuses).toEqual(['failed', 'failed', 'failed', 'failed', 'parked']);
	});

	test('a parked server is looked at every 300 s', () => {
		const server = drive().configure().refused(permanent);
		server.done();

		server.pass(299_999);
		expect(server.done()).toEqual([]);
		server.pass(1).refused(permanent);
		expect(server.done()).toEqual(['connect 2']);
		expect(server.state).toMatchObject({status: 'parked', nextAttemptAt: 600_000});
	});

	test('what only a person can mend parks at once', () => {
		expect(drive().configure().refused(permanent).state.status).toBe('parked');
	});

	test('pauses double to 60 s, and chance takes up to a half', () => {
		const pausesWith = (random: number) => {
			const server = drive({}, () => random)
				.configure()
				.connected()
				.call()
				.called()
				.lost();
			const pauses = [(wakeAt(server.state, {}) ?? 0) - server.now];
			for (let tries = 0; tries < 4; tries++) {
				server.wake().refused();
				pauses.push((wakeAt(server.state, {}) ?? 0) - server.now);
			}

			return pauses;
		};

		expect(pausesWith(0)).toEqual([1000, 1000, 2000, 4000, 8000]);
		expect(pausesWith(0.999_999_9)).toEqual([500, 500, 1000, 2000, 4000]);
	});

	test('the reason of the last try stays while the next is under way', () => {
		const server = drive().configure().refused().wake();

		expect(server.state).toMatchObject({status: 'connecting', reason: 'connection refused'});
	});

	test('a server that takes every connection and loses it before any answer is parked, too', () => {
		const server = drive().configure();
		for (let tries = 0; tries < 4; tries++) {
			server.connected().lost();
			expect(server.state.status).toBe('failed');
			server.wake();
		}

		server.connected().lost();
		expect(server.state.status).toBe('parked');
	});

	test.each([
		['a call', (server: ReturnType<typeof drive>) => server.call().called()],
		[
			'a check',
			(server: ReturnType<typeof drive>) =>
				server.send({type: 'check-passed', connection: server.state.connection}),
		],
	])('%s that was answered begins the count anew', (_, prove) => {
		const server = drive().configure().refused().wake().refused().wake().connected();
		expect(server.state.failures).toBe(2);

		expect(prove(server).state.failures).toBe(0);
	});

	test('a call that got no answer proves nothing', () => {
		const server = drive().configure().refused().wake().connected().call().called(false);

		expect(server.state.failures).toBe(1);
	});
});

describe('a call that needs a connection', () => {
	test('does not wait for the pause', () => {
		const server = drive().configure().refused();
		server.done();

		expect(server.send({type: 'called'}).done()).toEqual(['connect 2']);
	});

	test.each([permanent, needsLogin])('wakes nothing that was given up: $kind', failure => {
		const server = drive().configure().refused(failure);
		server.done();

		expect(server.send({type: 'called'}).done()).toEqual([]);
	});

	test('cannot try for ever: calls spend tries', () => {
		const server = drive().configure();
		for (let calls = 0; calls < 50; calls++) {
			server.refused().send({type: 'called'});
		}

		expect(server.done()).toEqual(['connect 1', 'connect 2', 'connect 3']);
	});
});

describe('logins', () => {
	test('a server that wants one waits for it, however long', () => {
		const server = drive().configure().refused(needsLogin);
		server.done();

		expect(server.pass(1e9).state).toMatchObject({status: 'needs login', reason: 'needs a login'});
		expect(server.done()).toEqual([]);
		expect(server.send({type: 'wanted'}).done()).toEqual(['connect 2']);
	});

	test('a refusal in the middle of a call means the same', () => {
		const server = drive().configure().connected().call().lost(needsLogin);

		expect(server.state.status).toBe('needs login');
		expect(server.done()).toEqual(['connect 1', 'end 1']);
	});
});

describe('lost connections', () => {
	test('an expired session is renewed at once', () => {
		const server = drive().configure().connected().call().called().call().lost(expired);

		expect(server.state.status).toBe('connecting');
		expect(server.done()).toEqual(['connect 1', 'end 1', 'connect 2']);
	});

	test('sessions that expire before they were of use are tried like failures', () => {
		const server = drive().configure().connected().call().lost(expired);

		expect(server.state.status).toBe('failed');
	});

	test('a lost stream ends the connection when nobody else waits for an answer', () => {
		const server = drive().configure().connected().call().called(false);
		server.send({type: 'stream-lost', connection: 1, failure: streamLost});

		expect(server.state.status).toBe('failed');
		expect(server.done()).toEqual(['connect 1', 'end 1']);
	});

	test('a lost stream is checked when others wait: theirs may be well', () => {
		const server = drive().configure().connected().call().call().called(false);
		server.send({type: 'stream-lost', connection: 1, failure: streamLost});

		expect(server.state.status).toBe('connected');
		expect(server.done()).toEqual(['connect 1', 'check 1']);
	});

	test('what is said of an older connection changes nothing', () => {
		const server = drive().configure().connected().call().called().lost().wake();
		const before = server.state;

		server
			.send({type: 'connected', connection: 1})
			.send({type: 'lost', connection: 1, failure: permanent})
			.send({type: 'refused', connection: 1, failure: permanent});

		expect(server.state).toBe(before);
	});
});

describe('manual/tool-servers.md#settings keepalive, idle and lifetime', () => {
	const minute = 60_000;

	test('a check is due after the interval without an answer; calls count as answers', () => {
		const server = drive({keepaliveMs: 3 * minute})
			.configure()
			.connected();
		server.done();
		server
			.pass(2 * minute)
			.call()
			.called();
		expect(server.pass(2 * minute).done()).toEqual([]);
		expect(server.pass(1 * minute).done()).toEqual(['check 1']);
	});

	test('one check at a time', () => {
		const server = drive({keepaliveMs: minute}).configure().connected();
		server.done();

		expect(server.pass(minute).pass(minute).pass(minute).done()).toEqual(['check 1']);
	});

	test('no check, no recycling while a call is under way', () => {
		const settings = {keepaliveMs: minute, idleMs: minute, lifetimeMs: minute};
		const server = drive(settings).configure().connected().call();
		server.done();

		expect(server.pass(100 * minute).done()).toEqual([]);
		expect(wakeAt(server.state, settings)).toBeUndefined();
		expect(server.called().pass(0).done()).toEqual(['end 1']);
	});

	test('a check that fails while a call is under way does not end it', () => {
		const server = drive({keepaliveMs: minute}).configure().connected().pass(minute).call();

		server.send({type: 'check-failed', connection: 1, failure: passing});

		expect(server.state.status).toBe('connected');
	});

	test('"failure → reconnect"', () => {
		const server = drive({keepaliveMs: minute}).configure().connected().pass(minute);

		server.send({type: 'check-failed', connection: 1, failure: passing});

		expect(server.state).toMatchObject({status: 'failed', reason: 'connection refused'});
		expect(server.done()).toEqual(['connect 1', 'check 1', 'end 1']);
	});

	test('idleness recycles; the next call connects', () => {
		const server = drive({idleMs: minute}).configure().connected().call().called().pass(minute);

		expect(server.state).toMatchObject({
			status: 'recycled',
			reason: 'ended after 60 s without a call',
		});
		server.send({type: 'called'});
		expect(server.done()).toEqual(['connect 1', 'end 1', 'connect 2']);
	});

	test('a check is no use: it does not keep an idle connection', () => {
		const settings = {idleMs: 2 * minute, keepaliveMs: minute};
		const server = drive(settings).configure().connected().pass(minute);
		server.send({type: 'check-passed', connection: 1}).pass(minute);

		expect(server.state.status).toBe('recycled');
	});

	test('"lifetime wins"', () => {
		const settings = {idleMs: minute, lifetimeMs: minute};

		expect(drive(settings).configure().connected().pass(minute).state).toMatchObject({
			status: 'recycled',
			reason: 'ended at the age of 60 s',
		});
	});
});

test('a disconnected server stays so until it is called or wanted', () => {
	const server = drive({keepaliveMs: 1000}).configure().connected().send({type: 'dismissed'});

	expect(server.pass(1e9).state.status).toBe('recycled');
	expect(server.done()).toEqual(['connect 1', 'end 1']);
	expect(server.send({type: 'wanted'}).done()).toEqual(['connect 2']);
});

const connection = fc.integer({min: 0, max: 12});

const failure = fc.constantFrom(passing, permanent, needsLogin, expired, streamLost);

const anyEvent: fc.Arbitrary<ServerEvent> = fc.oneof(
	fc.record({
		type: fc.constant('configured' as const),
		enabled: fc.boolean(),
		lazy: fc.boolean(),
	}),
	fc.constantFrom<ServerEvent>({type: 'called'}, {type: 'wanted'}, {type: 'dismissed'}),
	fc.record({type: fc.constant('woken' as const)}),
	fc.record({
		type: fc.constantFrom('connected' as const, 'call-started' as const, 'check-passed' as const),
		connection,
	}),
	fc.record({type: fc.constant('call-ended' as const), connection, answered: fc.boolean()}),
	fc.record({
		type: fc.constantFrom(
			'refused' as const,
			'lost' as const,
			'stream-lost' as const,
			'check-failed' as const,
		),
		connection,
		failure,
	}),
);

function insist(holds: boolean, rule: string): void {
	if (!holds) {
		throw new Error(rule);
	}
}

/** What a caller would do: connections that it holds by their numbers. Throws where an action makes no sense. */
function perform(open: Set<number>, actions: readonly ServerAction[]) {
	for (const {type, connection: number} of actions) {
		if (type === 'connect') {
			open.add(number);
		}

		insist(open.has(number), `${type} ${number}, which is not open`);
		if (type === 'end') {
			open.delete(number);
		}

		insist(open.size <= 1, 'never two at once');
	}
}

test('whatever happens, in whatever order', () => {
	const settings = {keepaliveMs: 180_000, idleMs: 200_000, lifetimeMs: 500_000};
	const steps = fc.array(fc.tuple(anyEvent, fc.nat(400_000), fc.boolean()), {maxLength: 80});
	const follow = (events: ReadonlyArray<readonly [ServerEvent, number, boolean]>) => {
		const open = new Set<number>();
		let state = unconfigured;
		let now = 0;
		for (const [event, passed, newest] of events) {
			now += passed;
			const aimed =
				newest && 'connection' in event ? {...event, connection: state.connection} : event;
			const late = 'connection' in aimed && !open.has(aimed.connection);
			const before = state;
			const step = stepServer(state, aimed, {now, settings, random: () => 0.5});
			state = step.state;
			if (aimed.type === 'refused' && before.status === 'connecting' && !late) {
				open.delete(aimed.connection);
			}

			perform(open, step.actions);
			const holds = state.status === 'connecting' || state.status === 'connected';
			const pause = state.status === 'failed' ? state.nextAttemptAt - state.since : 0;
			insist(!late || state === before, 'what comes late changes nothing');
			insist(
				before.status !== 'skipped' || aimed.type === 'configured' || step.actions.length === 0,
				'nothing is done while skipped',
			);
			insist(open.size === (holds ? 1 : 0), 'a connection is held exactly while one is said to be');
			insist(state.status !== 'failed' || state.failures < 5, 'tries are bounded');
			insist(pause >= 0 && pause <= 60_000, 'pauses are bounded');
		}
	};

	expect(() => {
		fc.assert(fc.property(steps, follow), {numRuns: propertyRuns(2000)});
	}).not.toThrow();
});

test('left alone, a server that cannot be reached is tried three times in the first five minutes', () => {
	fc.assert(
		fc.property(fc.double({min: 0, max: 0.999, noNaN: true}), random => {
			const server = drive({}, () => random).configure();
			for (let looks = 0; looks < 30_000 && server.now < 300_000; looks++) {
				if (server.state.status === 'connecting') {
					server.refused();
				}

				server.pass(100);
			}

			expect(server.done()).toHaveLength(3);
		}),
		{numRuns: 20},
	);
});
