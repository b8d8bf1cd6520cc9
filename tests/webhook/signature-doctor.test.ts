import {createHmac} from 'node:crypto';
import * as fc from 'fast-check';
import {expect, test} from 'vitest';
import type {Route, SignatureSpec} from '../../source/config/route.ts';
import {createSignatureDoctor, explainRefusal} from '../../source/webhook/signature-doctor.ts';
import {verifySignature} from '../../source/webhook/signature.ts';
import {createFakeClock} from '../helpers/fake-clock.ts';
import type {FakeClock} from '../helpers/fake-clock.ts';
import {propertyRuns} from '../helpers/property-runs.ts';
import {senders, whsec} from './senders.ts';
import type {SentHeaders} from './senders.ts';
import {makeRoute} from './start-receiver.ts';

const nowMs = 1_750_000_000_000;
const now = 1_750_000_000;
const hour = 3_600_000;
const secret = 'top secret';
const body = '{"a":"x/y","b":[1,2]}';

type Case = {
	readonly headers: SentHeaders;
	readonly body?: string | Buffer;
	readonly route?: Partial<Route>;
	readonly others?: readonly Route[];
};

const explain = ({headers, body: received = body, route, others = []}: Case) =>
	explainRefusal(
		{headers, body: Buffer.from(received)},
		{route: makeRoute({secrets: [secret], ...route}), others, nowMs},
	);

const digest = (content: string | Buffer, key: string | Buffer = secret, algorithm = 'sha256') =>
	createHmac(algorithm, key).update(content).digest();

const hex = (content: string | Buffer, key: string | Buffer = secret, algorithm = 'sha256') =>
	digest(content, key, algorithm).toString('hex');

const hub = (content: string | Buffer, key: string | Buffer = secret) => ({
	'x-hub-signature-256': `sha256=${hex(content, key)}`,
});

const v2 = (seconds: number, key = secret) => ({
	'x-webhook-timestamp': String(seconds),
	'x-webhook-signature-v2': hex(`${seconds}.${body}`, key),
});

const standard = (key: string | Buffer) => ({
	'webhook-id': 'm',
	'webhook-timestamp': String(now),
	'webhook-signature': `v1,${digest(`m.${now}.${body}`, key).toString('base64')}`,
});

const mismatch = 'hub-256: does not match the secret';

test('what is right needs no explanation', () => {
	expect(explain({headers: hub(body)})).toEqual([]);
});

test.for([412, -412])('a clock that is wrong: %i s', skew => {
	const sign = skew > 0 ? '+' : '';
	expect(explain({headers: v2(now + skew)})).toEqual([
		`x-webhook-timestamp: skew ${sign}${skew} s, at most 300 s either side`,
		'the signature itself is right: a late retry, a replay, or a clock that is wrong',
	]);
});

test('a clock that is wrong and another secret: the signature is not called right', () => {
	expect(explain({headers: v2(now + 412, 'other')})).toEqual([
		'x-webhook-timestamp: skew +412 s, at most 300 s either side',
	]);
});

test('a retired secret that still passes counts as right', () => {
	const route = {retiredSecrets: [{secret: 'old', until: nowMs + hour}]};
	expect(explain({headers: v2(now - 412, 'old'), route})[1]).toContain(
		'the signature itself is right',
	);
});

test('milliseconds for seconds', () => {
	expect(
		explain({
			headers: {
				'x-webhook-timestamp': String(nowMs),
				'x-webhook-signature-v2': hex(`${nowMs}.${body}`),
			},
		}),
	).toEqual([
		'x-webhook-timestamp is not a number of seconds',
		'the timestamp looks like milliseconds, seconds are expected',
		'it is right otherwise',
	]);
});

test('linear: a signed time that is long past', () => {
	const late = JSON.stringify({webhookTimestamp: nowMs - 412_000});
	expect(
		explain({
			headers: {'linear-signature': hex(late)},
			body: late,
			route: {signature: {kind: 'linear'}},
		}),
	).toEqual([
		'webhookTimestamp: skew -412 s, at most 60 s either side',
		'the signature itself is right: a late retry, a replay, or a clock that is wrong',
	]);
});

test('the previous secret', () => {
	const route = {retiredSecrets: [{secret: 'old', until: nowMs - 50 * hour}]};
	const finding = 'matches the previous secret, which ended 2 d ago';
	expect(explain({headers: hub(body, 'old'), route})).toEqual([mismatch, finding]);
	expect(explain({headers: {'x-gitlab-token': 'old'}, route})).toEqual([
		'x-gitlab-token: does not equal the secret',
		finding,
	]);
});

test('a previous secret is "kept 30 days only for the doctor", and then nobody’s any more', () => {
	const findingsAfter = (ms: number) =>
		explain({
			headers: hub(body, 'old'),
			route: {retiredSecrets: [{secret: 'old', until: nowMs - ms}]},
		});
	const finding = 'matches the previous secret, which ended 30 d ago';
	expect(findingsAfter(30 * 24 * hour)).toEqual([mismatch, finding]);
	expect(findingsAfter(30 * 24 * hour + 1)).toEqual([mismatch]);
});

test('`whsec_`: decoded or not', () => {
	const written = whsec('anything');
	expect(explain({headers: standard(written), route: {secrets: [written]}})).toEqual([
		'standard-webhooks: does not match the secret',
		'matches if whsec_ is not decoded: the sender signs with the secret as it is written',
	]);
	const bare = Buffer.from('anything').toString('base64');
	expect(explain({headers: standard('anything'), route: {secrets: [bare]}})).toEqual([
		'standard-webhooks: does not match the secret',
		'matches if the secret is decoded from base64: it is to be written with whsec_ before it',
	]);
	expect(
		verifySignature(
			makeRoute({secrets: [`whsec_${bare}`]}),
			{headers: standard('anything'), body: Buffer.from(body)},
			nowMs,
		).ok,
	).toBe(true);
});

test('a secret that was copied with blanks, or read with its line feed', () => {
	expect(explain({headers: hub(body, 'key'), route: {secrets: [' key\n']}})[1]).toBe(
		'matches the secret without the blanks around it',
	);
	expect(explain({headers: hub(body, 'key\n'), route: {secrets: ['key']}})[1]).toBe(
		'matches the secret with a line feed behind it: the sender read it from a file',
	);
});

test('the secret of another route', () => {
	const others = [
		makeRoute({name: 'hook', secrets: ['theirs']}),
		makeRoute({name: 'deploys', secrets: ['x', 'theirs']}),
	];
	const finding = 'matches the secret of route "deploys"';
	expect(explain({headers: hub(body, 'theirs'), others})).toEqual([mismatch, finding]);
	expect(explain({headers: {'x-gitlab-token': 'theirs'}, others})[1]).toBe(finding);
	const elsewhere = [makeRoute({name: 'hook', profile: 'work', secrets: ['theirs']})];
	expect(explain({headers: hub(body, 'theirs'), others: elsewhere})[1]).toBe(
		'matches the secret of route "hook" of profile "work"',
	);
});

test('at most 50 other routes are tried', () => {
	const others = Array.from({length: 60}, (_, index) =>
		makeRoute({name: `r${index}`, secrets: [`key ${index}`]}),
	);
	expect(explain({headers: hub(body, 'key 49'), others})[1]).toContain('"r49"');
	expect(explain({headers: hub(body, 'key 50'), others})).toEqual([mismatch]);
});

test('the header is missing: the names of those that look like one', () => {
	expect(
		explain({
			headers: {
				'user-agent': 'x',
				'x-acme-signature': 'a',
				authorization: 'Bearer b',
				'x-hook-sig': 'c',
				'x-design': 'd',
			},
		}),
	).toEqual([
		'no signature header',
		'headers that look like one: x-acme-signature, authorization, x-hook-sig',
	]);
	expect(explain({headers: {'user-agent': 'x', 'webhook-id': 'm'}})).toEqual([
		'no signature header',
		'no header looks like a signature',
	]);
	const many = Object.fromEntries(
		Array.from({length: 9}, (_, index) => [`x-token-${index}-${'n'.repeat(60)}`, 'v']),
	);
	expect(explain({headers: many})[1]).toMatch(/and 4 more$/);
	expect(explain({headers: many})[1]?.length).toBeLessThan(260);
});

test.for([
	['stripe', 'stripe-signature'],
	['slack', 'x-slack-signature'],
	['shopify', 'x-shopify-hmac-sha256'],
	['linear', 'linear-signature'],
] as const)('a route that does not say that %s signs', async ([kind, header]) => {
	const sender = senders.find(({signature}) => signature?.kind === kind);
	const headers = (await sender?.sign({body: Buffer.from(body), secret, nowMs})) ?? {};
	expect(explain({headers})).toEqual([
		'no signature header',
		`${header} matches: the route needs "signature: ${kind}"`,
	]);
	expect(explain({headers, route: {secrets: ['other']}})).toEqual([
		'no signature header',
		`${header} is there: the route needs "signature: ${kind}"`,
	]);
	const wrong: SignatureSpec = {kind: kind === 'stripe' ? 'slack' : 'stripe'};
	expect(explain({headers, route: {signature: wrong}})[1]).toBe(
		`${header} matches: the route needs "signature: ${kind}"`,
	);
});

test('a route that names a scheme, and a sender that uses a recognised one', () => {
	expect(explain({headers: hub(body), route: {signature: {kind: 'stripe'}}})).toEqual([
		'stripe-signature is missing',
		'x-hub-signature-256 matches: the route needs no "signature"',
	]);
});

test('the first scheme decides alone, a later one would match', () => {
	expect(
		explain({
			headers: {
				...hub(body),
				'webhook-signature': 'v1,x',
				'webhook-id': 'm',
				'webhook-timestamp': String(now),
			},
		}),
	).toEqual([
		'standard-webhooks: the header is not a SHA-256 digest in base64 after "v1,"',
		'x-hub-signature-256 matches: webhook-signature decides alone',
	]);
	expect(explain({headers: {...hub(body), 'x-gitlab-token': 'x', 'svix-signature': ''}})).toEqual([
		'svix-id is missing',
		'x-hub-signature-256 matches: svix-signature decides alone',
	]);
});

test('a preset under another header: what came under its own is told, and a header of many tells of no sender', () => {
	const stripe = {'stripe-signature': `t=${now},v1=${hex(`${now}.${body}`)}`};
	expect(
		explain({headers: stripe, route: {signature: {kind: 'stripe', header: 'x-other'}}}),
	).toEqual([
		'x-other is missing',
		'stripe-signature matches: the route needs "signature: stripe"',
	]);
	expect(explain({headers: {authorization: secret}})).toEqual([
		'no signature header',
		'headers that look like one: authorization',
	]);
});

const custom = (overrides: Partial<Extract<SignatureSpec, {kind: 'custom'}>>): Partial<Route> => ({
	signature: {
		kind: 'custom',
		header: 'x-acme-signature',
		algorithm: 'sha256',
		prefix: '',
		encoding: 'hex',
		signed: '{body}',
		...overrides,
	},
});

const right = 'it is right otherwise';

test.for([
	[
		'base64 for hex',
		{'x-webhook-signature': digest(body).toString('base64')},
		{},
		'it is base64, not hex',
	],
	[
		'hex for base64',
		{'x-shopify-hmac-sha256': hex(body)},
		{signature: {kind: 'shopify'}},
		'it is hex, not base64',
	],
	['no prefix', {'x-hub-signature-256': hex(body)}, {}, 'the prefix "sha256=" is missing'],
	[
		'another prefix',
		{'x-hub-signature-256': `v1=${hex(body)}`},
		{},
		'it has another prefix than "sha256="',
	],
	[
		'a prefix',
		{'x-webhook-signature': `sha256=${hex(body)}`},
		{},
		'it has a prefix, none is expected',
	],
	[
		'SHA-1',
		{'x-hub-signature-256': `sha256=${hex(body, secret, 'sha1')}`},
		{},
		'it is as long as a SHA-1 digest, not SHA-256',
	],
	[
		'SHA-512',
		{'x-acme-signature': hex(body, secret, 'sha512')},
		custom({}),
		'it is as long as a SHA-512 digest, not SHA-256',
	],
	[
		'several differences',
		{'x-acme-signature': digest(body, secret, 'sha512').toString('base64')},
		custom({prefix: 'v1='}),
		'it is as long as a SHA-512 digest, not SHA-256, it is base64, not hex, the prefix "v1=" is missing',
	],
	[
		'a list',
		{'x-webhook-signature': `${hex(body)}, ${hex(body)}`},
		{},
		'the header holds more than one signature',
	],
	[
		'slack without v0=',
		{'x-slack-request-timestamp': String(now), 'x-slack-signature': hex(`v0:${now}:${body}`)},
		{signature: {kind: 'slack'}},
		'the prefix "v0=" is missing',
	],
] as const)('another form: %s', ([, headers, route, finding]) => {
	const findings = explain({headers, route});
	expect(findings[0]).toMatch(/: the header is not a SHA-256 digest in (?:hex|base64)/);
	expect(findings.slice(1)).toEqual([finding, right]);
	expect(explain({headers, route: {...route, secrets: ['other']}}).slice(1)).toEqual([finding]);
});

test.for(['x-hub-signature-256', 'x-webhook-signature', 'x-gitlab-token'])(
	'an empty signature: %s',
	header => {
		expect(explain({headers: {[header]: ''}})[1]).toBe(`${header} is empty`);
	},
);

test('hex of upper case is fine', () => {
	expect(explain({headers: {'x-webhook-signature': hex(body).toUpperCase()}})).toEqual([]);
});

test('the timestamp or the body alone was signed', () => {
	expect(explain({headers: {...v2(now), 'x-webhook-signature-v2': hex(body)}})[1]).toBe(
		'matches the body alone: the sender did not sign what belongs before it',
	);
	expect(
		explain({
			headers: {'x-webhook-signature': hex(`${now}.${body}`), 'x-webhook-timestamp': String(now)},
		})[1],
	).toBe('matches the timestamp and the body: that is X-Webhook-Signature-V2');
});

const value = {a: 'x/y', b: [1, {c: 'Zoë <b>'}], e: [], o: {}};
const compact = JSON.stringify(value);
const reserialised = 'something re-serialised it on the way';
const changed = 'something changed it on the way';

test.for([
	['compact JSON', compact, JSON.stringify(value, null, 2), reserialised],
	['JSON with 2 spaces', JSON.stringify(value, null, 2), compact, reserialised],
	[
		'JSON with 2 spaces and a line feed',
		`${JSON.stringify(value, null, 2)}\n`,
		compact,
		reserialised,
	],
	['JSON with 4 spaces', JSON.stringify(value, null, 4), compact, reserialised],
	[
		'JSON with spaces (Python)',
		'{"a": "x/y", "b": [1, {"c": "Zoë <b>"}], "e": [], "o": {}}',
		compact,
		reserialised,
	],
	[
		'JSON with spaces and unicode escapes (Python)',
		String.raw`{"a": "x/y", "b": [1, {"c": "Zo\u00eb <b>"}], "e": [], "o": {}}`,
		compact,
		reserialised,
	],
	[
		'compact JSON with unicode escapes',
		compact.replace('ë', String.raw`\u00eb`),
		compact,
		reserialised,
	],
	['JSON with escaped slashes (PHP)', compact.replace('/', String.raw`\/`), compact, reserialised],
	[
		'JSON with escaped slashes and unicode escapes (PHP)',
		compact.replace('/', String.raw`\/`).replace('ë', String.raw`\u00eb`),
		compact,
		reserialised,
	],
	[
		'JSON with <, > and & escaped (Go)',
		compact.replace('<b>', String.raw`\u003cb\u003e`),
		compact,
		reserialised,
	],
] as const)('a body that was signed as %s', ([name, signed, received, cause]) => {
	expect(explain({headers: hub(signed), body: received})).toEqual([
		mismatch,
		`matches the body as ${name}: ${cause}`,
	]);
});

test.for([
	['without the line feed at its end', 'a', 'a\n'],
	['without the line feed at its end', 'a', 'a\r\n'],
	['with a line feed at its end', 'a\n', 'a'],
	['with LF instead of CRLF', 'a\nb', 'a\r\nb'],
	['with CRLF instead of LF', 'a\r\nb', 'a\nb'],
	['without the byte order mark', compact, `\ufeff${compact}`],
	['with a byte order mark', `\ufeff${compact}`, compact],
] as const)('a body that was signed %s', ([name, signed, received]) => {
	expect(explain({headers: hub(signed), body: received})[1]).toBe(
		`matches the body ${name}: ${changed}`,
	);
});

test('a body that was lost where it was signed', () => {
	expect(explain({headers: hub('')})[1]).toBe(
		'matches an empty body: the body was lost where it was signed',
	);
});

test('a re-serialised body is found behind every scheme', async () => {
	const received = JSON.stringify(JSON.parse(body), null, 2);
	for (const sender of senders.filter(({isToken}) => !isToken)) {
		const {signature} = sender;
		// oxlint-disable-next-line no-await-in-loop -- one at a time keeps the failure readable
		const headers = await sender.sign({body: Buffer.from(body), secret: sender.secret, nowMs});
		expect(
			explain({
				headers,
				body: received,
				route: {secrets: [sender.secret], ...(signature && {signature})},
			})[1],
		).toBe(`matches the body as compact JSON: ${reserialised}`);
	}
});

test('JSON that is nested too deeply, or would grow too much, is not written out again', () => {
	const deep = `${'['.repeat(5000)}${']'.repeat(5000)}`;
	const wide = `${'['.repeat(100)}${'1,'.repeat(50_000)}1${']'.repeat(100)}`;
	for (const received of [deep, wide]) {
		expect(explain({headers: hub('{}'), body: received})).toEqual([mismatch]);
	}
});

test('bodies above 256 KiB are judged by their headers alone', () => {
	const large = ' '.repeat(262_145);
	expect(
		explain({
			headers: hub(large, 'theirs'),
			body: large,
			others: [makeRoute({name: 'o', secrets: ['theirs']})],
		}),
	).toEqual([mismatch]);
	expect(explain({headers: {'x-acme-signature': ''}, body: large})[1]).toContain(
		'x-acme-signature',
	);
	const fitting = ' '.repeat(262_144);
	expect(
		explain({
			headers: hub(fitting, 'theirs'),
			body: fitting,
			others: [makeRoute({name: 'o', secrets: ['theirs']})],
		})[1],
	).toContain('"o"');
});

test('no finding holds a secret, a digest or the value of a header; none makes it throw', () => {
	const secrets = ['first-secret-value', whsec('second-secret-value')];
	const route = makeRoute({
		secrets,
		retiredSecrets: [{secret: 'retired-secret-value', until: nowMs - 1}],
	});
	const others = [makeRoute({name: 'other', secrets: ['others-secret-value']})];
	const names = [
		...senders.map(({header}) => header),
		'webhook-id',
		'webhook-timestamp',
		'svix-id',
		'svix-timestamp',
		'x-webhook-timestamp',
		'x-slack-request-timestamp',
		'x-my-signature\u001b',
	];
	const known = ['first-secret-value', 'retired-secret-value', 'others-secret-value'].flatMap(
		key => [hex(body, key), digest(body, key).toString('base64'), hex('', key)],
	);
	const texts = fc.oneof(
		fc.constantFrom(
			...known,
			...known.map(text => `sha256=${text}`),
			...secrets,
			'retired-secret-value',
			String(now),
			'',
			'stranger-value',
		),
		fc.string({unit: 'binary', maxLength: 80}).map(text => `stranger-value${text}`),
	);
	const specs = fc.constantFrom(undefined, ...senders.map(({signature}) => signature));
	fc.assert(
		fc.property(
			fc.dictionary(fc.constantFrom(...names), texts),
			fc.oneof(
				fc.constant(Buffer.from(body)),
				fc.uint8Array({maxLength: 100}).map(bytes => Buffer.from(bytes)),
			),
			specs,
			(headers, received, signature) => {
				const findings = explainRefusal(
					{headers, body: received},
					{route: {...route, ...(signature && {signature})}, others, nowMs},
				).join('; ');
				expect(findings).not.toMatch(/secret-value|stranger-value|[\da-f]{40}|[\w+/]{40}/);
				expect(findings).toMatch(/^[\u0020-\u007e\u2400-\u2426\u2026]*$/);
				expect(findings.length).toBeLessThan(1200);
			},
		),
		{numRuns: propertyRuns(1000)},
	);
});

test('a doctor explains five refusals a second, the sixth is only refused', () => {
	const clock = createFakeClock(nowMs);
	const doctor = createSignatureDoctor({clock});
	const refused = () =>
		doctor.explain(
			{headers: hub(body, 'theirs'), body: Buffer.from(body)},
			{
				route: makeRoute({secrets: [secret]}),
				others: [makeRoute({name: 'o', secrets: ['theirs']})],
				refusal: mismatch,
			},
		);
	const full = `${mismatch}; matches the secret of route "o"`;
	expect(Array.from({length: 7}, refused)).toEqual([
		...Array.from({length: 5}, () => full),
		mismatch,
		mismatch,
	]);
	clock.advance(999);
	expect(refused()).toBe(mismatch);
	clock.advance(1);
	expect(refused()).toBe(full);
});

test('a doctor who needed long explains nothing more in that second', () => {
	const clock = createFakeClock(nowMs);
	const doctor = createSignatureDoctor({clock});
	const refused = (ms: number) =>
		doctor.explain(
			{headers: hub(body, 'theirs'), body: Buffer.from(body)},
			{
				route: makeRoute({secrets: [secret]}),
				others: slowly(clock, ms, [makeRoute({name: 'o', secrets: ['theirs']})]),
				refusal: mismatch,
			},
		);
	expect([refused(49), refused(1), refused(0)]).toEqual([
		expect.stringContaining('"o"'),
		expect.stringContaining('"o"'),
		mismatch,
	]);
	clock.advance(950);
	expect(refused(0)).toContain('"o"');
});

function* slowly<Item>(clock: FakeClock, ms: number, items: readonly Item[]): Generator<Item> {
	clock.advance(ms);
	yield* items;
}

test('a refusal that is none any more keeps its text', () => {
	const doctor = createSignatureDoctor({clock: createFakeClock(nowMs)});
	expect(
		doctor.explain(
			{headers: hub(body), body: Buffer.from(body)},
			{route: makeRoute({secrets: [secret]}), others: [], refusal: 'as it was'},
		),
	).toBe('as it was');
});

test('`INSECURE_NO_AUTH` is probed nowhere: not as it is written, not decoded, not that of another route', () => {
	const literal = 'INSECURE_NO_AUTH';
	const others = [makeRoute({name: 'open', insecure: true, secrets: [literal]})];
	for (const key of [literal, Buffer.from(literal, 'base64'), `${literal}\n`]) {
		const headers = hub(body, key);
		expect(explain({headers, route: {secrets: [literal]}, others})).toEqual([mismatch]);
		expect(explain({headers, others})).toEqual([mismatch]);
	}
});
