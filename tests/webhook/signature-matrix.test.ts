import * as fc from 'fast-check';
import {afterAll, beforeAll, expect, test, vi} from 'vitest';
import type {Route} from '../../source/config/route.ts';
import {verifySignature} from '../../source/webhook/signature.ts';
import {propertyRuns} from '../helpers/property-runs.ts';
import {senders} from './senders.ts';
import type {Sender, SentHeaders} from './senders.ts';
import {makeRoute} from './start-receiver.ts';

const nowMs = 1_750_000_000_000;
const hour = 3_600_000;
const body = Buffer.from('{"ref":"refs/heads/main","by":"Zoë"}');

// Two of the libraries ask the wall clock themselves.
beforeAll(() => {
	vi.useFakeTimers({now: nowMs, toFake: ['Date']});
});

afterAll(() => {
	vi.useRealTimers();
});

/** A request on its way: what was signed, and what the route accepts. */
type Scene = {
	readonly sender: Sender;
	readonly headers: SentHeaders;
	/** The same, signed with the other secret. */
	readonly foreign: SentHeaders;
	readonly body: Buffer;
	readonly route: Route;
	/** The secrets that should pass. */
	readonly valid: readonly string[];
};

async function makeScene(sender: Sender, signedAt: number): Promise<Scene> {
	const {signature, secret, otherSecret} = sender;
	return {
		sender,
		headers: await sender.sign({body, secret, nowMs: signedAt}),
		foreign: await sender.sign({body, secret: otherSecret, nowMs: signedAt}),
		body,
		route: makeRoute({secrets: [secret], ...(signature && {signature})}),
		valid: [secret],
	};
}

const withValue = (scene: Scene, change: (value: string) => string): Scene => {
	const {header} = scene.sender;
	return {
		...scene,
		headers: {...scene.headers, [header]: change(scene.headers[header] ?? '')},
	};
};

const withRoute = (scene: Scene, overrides: Partial<Route>, valid: readonly string[]): Scene => ({
	...scene,
	route: {...scene.route, ...overrides},
	valid,
});

/** The signature alone, without the time that stands in the same header. */
const signatureIn = (scene: Scene) =>
	(scene.foreign[scene.sender.header] ?? '').replace(/^ts?=\d+[,;]/, '');

const timestampNames = /timestamp|time$/;

const changes: Readonly<Record<string, (scene: Scene) => Scene>> = {
	ok: scene => scene,
	'wrong key': scene => ({...scene, headers: scene.foreign}),
	'second key of a list': scene =>
		withRoute(
			{...scene, headers: scene.foreign},
			{secrets: [scene.sender.secret, scene.sender.otherSecret]},
			[scene.sender.secret, scene.sender.otherSecret],
		),
	'old key in its time': scene =>
		withRoute(
			{...scene, headers: scene.foreign},
			{retiredSecrets: [{secret: scene.sender.otherSecret, until: nowMs + hour}]},
			[scene.sender.secret, scene.sender.otherSecret],
		),
	'old key after its time': scene =>
		withRoute(
			{...scene, headers: scene.foreign},
			{retiredSecrets: [{secret: scene.sender.otherSecret, until: nowMs - 1}]},
			[scene.sender.secret],
		),
	'other body': scene => ({...scene, body: Buffer.concat([scene.body, Buffer.from(' ')])}),
	truncated: scene => withValue(scene, value => value.slice(0, -2)),
	'one character more': scene => withValue(scene, value => `${value}0`),
	'extra signature behind': scene =>
		withValue(scene, value => `${value}${scene.sender.separator ?? ','}${signatureIn(scene)}`),
	'extra signature before': scene =>
		withValue(scene, value => {
			const [, time = '', signature] = /^(ts?=\d+[,;])?(.*)$/.exec(value) ?? [];
			return `${time}${signatureIn(scene)}${scene.sender.separator ?? ','}${signature}`;
		}),
	'header of a scheme that comes later': scene => ({
		...scene,
		headers: {'x-webhook-signature': 'broken', ...scene.headers},
	}),
	'header of a scheme that comes first': scene => ({
		...scene,
		headers: {'svix-signature': 'broken', ...scene.headers},
	}),
	'not ASCII': scene => withValue(scene, value => `${value.slice(0, -1)}\u00e9`),
	'upper case': scene => withValue(scene, value => value.toUpperCase()),
	empty: scene => withValue(scene, () => ''),
	missing: scene => ({
		...scene,
		headers: Object.fromEntries(
			Object.entries(scene.headers).filter(([name]) => name !== scene.sender.header),
		),
	}),
	'duplicate header': scene => withValue(scene, value => `${value}, ${value}`),
	'duplicate timestamp': scene => ({
		...scene,
		headers: Object.fromEntries(
			Object.entries(scene.headers).map(([name, value]) => [
				name,
				timestampNames.test(name) ? `${value}, ${value}` : value,
			]),
		),
	}),
};

/** When it was signed, seconds from now. */
const skews: Readonly<Record<string, number>> = {
	'300 s late': -300,
	'301 s late': -301,
	'300 s early': 300,
	'301 s early': 301,
};

/** Senders that document one signature in the header. */
const singles = [
	'slack',
	'shopify',
	'linear',
	'bitbucket',
	'grafana',
	'sentry',
	'zendesk',
	'zoom',
	'meta',
	'dropbox',
	'twitch',
];

const ofEach = (names: readonly string[], reason: string) =>
	Object.fromEntries(names.map(name => [name, reason]));

const decidesAlone = 'the first scheme whose header is present decides alone';

/** Where we differ on purpose. The libraries say the opposite. */
const differences: Readonly<Record<string, Readonly<Record<string, string>>>> = {
	'header of a scheme that comes first': {
		standardwebhooks: decidesAlone,
		octokit: decidesAlone,
		token: decidesAlone,
		v2: decidesAlone,
		v1: decidesAlone,
	},
	'extra signature behind': {
		...ofEach(singles, 'any of several passes, as of a scheme of one’s own'),
		custom: 'any of several passes: senders rotate like that',
	},
	'extra signature before': {
		...ofEach(singles, 'any of several passes, as of a scheme of one’s own'),
		custom: 'any of several passes: senders rotate like that',
	},
	'duplicate header': {
		...ofEach([...singles, 'custom'], 'the same signature twice is still right'),
	},
	'duplicate timestamp': {
		svix: 'a timestamp is digits, theirs is what parseInt makes of it',
		standardwebhooks: 'a timestamp is digits, theirs is what parseInt makes of it',
	},
	'upper case': {
		...ofEach(['v1', 'v2', 'linear', 'grafana', 'sentry', 'dropbox'], 'hex is hex in either case'),
	},
	'301 s early': {stripe: 'either side; theirs looks at old ones only'},
};

const verdictOf = ({route, headers, body: received}: Scene) =>
	verifySignature(route, {headers, body: received}, nowMs).ok;

async function oracleOf({sender, headers, body: received, valid}: Scene): Promise<boolean> {
	const answers = await Promise.all(
		valid.map(async secret => sender.accepts({headers, body: received, secret, nowMs})),
	);
	return answers.includes(true);
}

const cells = senders.flatMap(sender => [
	...Object.entries(changes).map(([name, change]) => ({sender, name, change, skew: 0})),
	...Object.entries(skews).map(([name, skew]) => ({
		sender,
		name,
		change: (scene: Scene) => scene,
		skew,
	})),
]);

test.for(cells.map(cell => [cell.sender.name, cell.name, cell] as const))(
	'%s, %s: we agree with the sender, or say why not',
	async ([, , {sender, name, change, skew}]) => {
		const scene = change(await makeScene(sender, nowMs + skew * 1000));
		const difference = differences[name]?.[sender.name];
		const [ours, theirs] = [verdictOf(scene), await oracleOf(scene)];
		expect({ours, theirs, isListed: difference !== undefined}).toEqual({
			ours,
			theirs: difference === undefined ? ours : !ours,
			isListed: ours !== theirs,
		});
	},
);

test('the matrix is what it says: what is signed passes, what is forged does not', async () => {
	for (const sender of senders) {
		// oxlint-disable-next-line no-await-in-loop -- one at a time keeps the failure readable
		const scene = await makeScene(sender, nowMs);
		const passing = Object.keys(changes).filter(name => {
			const change = changes[name];
			return change && verdictOf(change(scene));
		});
		expect(passing).toEqual(
			expect.arrayContaining(['ok', 'second key of a list', 'old key in its time']),
		);
		expect(passing).not.toContain('wrong key');
		expect(passing).not.toContain('old key after its time');
		expect(passing).not.toContain('truncated');
		expect(passing).not.toContain('not ASCII');
		expect(passing).not.toContain('empty');
		expect(passing).not.toContain('missing');
	}
});

/** Bytes of a seed: random ones, or (as every byte is a letter) text. */
function bytesOf({size, seed, isText}: {size: number; seed: number; isText: boolean}): Buffer {
	const bytes = Buffer.alloc(size);
	let state = seed;
	for (let index = 0; index < size; index++) {
		state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
		bytes[index] = state >>> 24;
	}

	return isText ? Buffer.from(bytes.toString('latin1')) : bytes;
}

const size = fc.oneof(
	fc.constantFrom(0, 1, 55, 56, 63, 64, 65, 127, 128, 65_535, 65_536),
	fc.nat(2000),
	fc.nat(65_536),
);

test('random bodies, 0 B to 64 KiB: what is signed passes, by their library and by ours; what is changed by neither', async () => {
	const property = fc.asyncProperty(
		fc.constantFrom(...senders),
		fc.record({size, seed: fc.nat(), isText: fc.boolean()}),
		fc.constantFrom('ok', 'wrong key', 'other body', 'truncated', 'empty'),
		async (sender, content, name) => {
			const {secret, otherSecret, signature} = sender;
			// Those libraries take text, and an empty one for a missing one.
			const received = sender.isText
				? bytesOf({...content, size: Math.max(1, content.size), isText: true})
				: bytesOf(content);
			const [headers, foreign] = await Promise.all([
				sender.sign({body: received, secret, nowMs}),
				sender.sign({body: received, secret: otherSecret, nowMs}),
			]);
			const route = makeRoute({secrets: [secret], ...(signature && {signature})});
			const scene = {sender, headers, foreign, body: received, route, valid: [secret]};
			const changed = changes[name]?.(scene) ?? scene;
			const ours = verdictOf(changed);
			expect(ours).toBe(name === 'ok' || (sender.isToken === true && name === 'other body'));
			expect(await oracleOf(changed)).toBe(ours);
		},
	);
	await fc.assert(property, {numRuns: propertyRuns(300)});
});

test('no header, however strange, makes a scheme that a route names throw or pass', () => {
	const named = senders.flatMap(({signature}) => signature ?? []);
	const names = senders.flatMap(({header}) => header);
	const value = fc.oneof(
		fc.string({unit: 'binary', maxLength: 200}),
		fc.constantFrom(
			'v0=',
			't=1,v1=',
			'sig=',
			'f'.repeat(64),
			`t=${nowMs / 1000},v1=`,
			String(nowMs / 1000),
		),
		fc.string({unit: fc.constantFrom('t', 'v', '1', ',', ' ', '=', 'A'), maxLength: 300}),
	);
	const others = ['x-slack-request-timestamp', 'x-acme-time'];
	fc.assert(
		fc.property(
			fc.constantFrom(...named),
			fc.dictionary(fc.constantFrom(...names, ...others), value),
			(signature, headers) => {
				expect(verifySignature(makeRoute({signature}), {headers, body}, nowMs).ok).toBe(false);
			},
		),
		{numRuns: propertyRuns(2000)},
	);
});
