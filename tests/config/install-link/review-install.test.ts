import {mkdirSync, readFileSync} from 'node:fs';
import {
	array,
	assert,
	asyncProperty,
	constantFrom,
	dictionary,
	jsonValue,
	oneof,
	property,
	string,
} from 'fast-check';
import {expect, test} from 'vitest';
import {parse} from 'yaml';
import {setToolServer, writtenServers} from '../../../source/config/edit-servers.ts';
import {reviewInstall} from '../../../source/config/install-link/review-install.ts';
import {systemClock} from '../../../source/core/clock.ts';
import {SvcError} from '../../../source/core/errors.ts';
import {installLines, type InstallReview} from '../../../source/core/install.ts';
import {propertyRuns} from '../../helpers/property-runs.ts';
import {createTemporaryHome} from '../temporary-home.ts';

const linkTo = (config: unknown): string =>
	`svc://mcp/install?name=crm&config=${Buffer.from(JSON.stringify(config)).toString('base64url')}`;

const reviewed = (config: unknown, names: readonly string[] = []): InstallReview =>
	reviewInstall(linkTo(config), {}, new Set(names));

/** What a person is told of a configuration. */
const told = (config: unknown): string =>
	reviewed(config)
		.cautions.map(({weight, text}) => `${weight}: ${text}`)
		.join('\n');

const url = 'https://crm.example/mcp';

test.each([
	[{url: 'https://аpple.com'}, 'danger: The host is written with letters beyond ASCII'],
	[{url: 'https://xn--pple-43d.com'}, '"аpple.com" is xn--pple-43d.com'],
	[{url: 'http://crm.example'}, 'danger: http: everybody on the way'],
	[{url: 'http://127.0.0.1:81/'}, 'note: 127.0.0.1 is this machine'],
	[{url: 'https://192.168.1.1/'}, 'in your own network'],
	[{url: 'https://0xa9fe0101/'}, 'in your own network'],
	[{url: 'https://[fd00::1]/'}, 'in your own network'],
	[{url: 'https://${H}/'}, 'danger: Which host it is depends on a variable'],
	[
		{url, headers: {a: '${env:TOKEN}'}},
		'danger: Gives the value of ${TOKEN} on this machine to crm.example (in headers.a)',
	],
	[{url: `${url}?u=\${userHome}`}, 'the value of ${userHome}'],
	[{command: 'a', args: ['${T}']}, 'the value of ${T} on this machine to the program (in args[0])'],
	[{command: 'a', args: '-x ${T}'}, 'the value of ${T}'],
	[{url, ssl_verify: false}, 'danger: ssl_verify: false'],
	[{url, ssl_verify: '/x.pem'}, 'note: ssl_verify: certificates are checked against'],
	[{url, client_cert: '/x.pem'}, 'danger: client_cert'],
	[{url, sampling: {enabled: true}}, 'danger: sampling'],
	[
		{url, auth: 'oauth', oauth: {client_id: 'x'}},
		'danger: oauth: the link sets how you log in: client_id',
	],
	[{url, enabled: false}, 'note: enabled: false'],
	[{url, trust: 'full'}, 'note: The link says trust: "full", which is not taken over'],
	[{url, tools: {zap: 1}, x: 1}, 'note: Left out, since no setting is called so: tools.zap, x'],
	[
		{url, headers: {authorization: 'Bearer ghp_0123456789012345678901234567890123456789'}},
		'note: the value of "authorization" looks like a secret',
	],
	[{command: '/usr/bin/sudo', args: ['x']}, 'danger: sudo runs what follows as somebody else'],
	[{command: 'C:\\x\\CMD.EXE'}, 'danger: cmd is a shell'],
	[{command: 'bash', args: '-c x'}, 'danger: bash is a shell'],
	[{command: 'npx', args: ['x']}, 'danger: npx may fetch code'],
	[{command: 'python3', args: ['x']}, 'danger: python3 runs whatever'],
	[{command: 'nрx'}, 'look like others: р (U+0440)'],
	[{command: 'a', env: {'B\u200b': '1'}}, 'danger: It holds characters that do not show'],
])('of %j a person is told', (config, expected) => {
	expect(told(config)).toContain(expected);
});

test.each(['__proto__'])('what is called %s is nothing that could be shown, or installed', name => {
	const link = linkTo({command: 'sh', args: ['-c', 'id']});

	expect(() => reviewInstall(link, {name}, new Set())).toThrow(
		expect.objectContaining({code: 'server_invalid'}),
	);
	expect(() => reviewInstall(link.replace('=crm&', `=${name}&`), {}, new Set())).toThrow(
		'Cannot use the install link',
	);
});

test.each(['constructor', 'toString', 'null', '1e3', '--', '..'])(
	'a program is shown as one though it is called %s',
	name => {
		const review = reviewInstall(linkTo({command: 'sh'}), {name}, new Set());

		expect(review).toMatchObject({kind: 'program', argv: ['sh'], exists: false});
	},
);

test('of a plain server nothing is told but that it is untrusted', () => {
	expect(told({url})).toMatch(/^note: trust: untrusted[^\n]*$/);
});

test('"args" as one text is shown as the arguments that the program gets', () => {
	expect(reviewed({command: 'a', args: `-c "rm -rf /" it' x'`}).argv).toEqual([
		'a',
		'-c',
		'rm -rf /',
		'it x',
	]);
});

test('a free name is one', () => {
	expect(reviewed({url}, ['crm', 'crm-2', 'crm-3'])).toMatchObject({
		exists: true,
		freeName: 'crm-4',
	});
	const long = 'x'.repeat(64);
	expect(reviewInstall(linkTo({url}), {name: long}, new Set([long])).freeName).toBe(
		`${'x'.repeat(62)}-2`,
	);
});

const keys = constantFrom(
	...'args env url headers ssl_verify client_cert client_key enabled timeout connect_timeout protocol supports_parallel_tool_calls skip_preflight transport keepalive_interval lazy idle_timeout_seconds lifecycle tools auth oauth sampling elicitation trust constructor toString unknown'.split(
		' ',
	),
);

const nasty = array(
	oneof(
		string({unit: 'binary', maxLength: 4}),
		constantFrom(
			'\u202e',
			'\u200b',
			'\u001b[2J',
			'\u2028',
			'"',
			'\\',
			'${X}',
			'е',
			'\u{e0041}',
			'👩‍👩‍👧',
			'\n',
			'한',
			'e\u0301',
		),
	),
	{maxLength: 5},
).map(parts => parts.join('').toWellFormed());

const configs = oneof(
	dictionary(
		keys,
		oneof(nasty, jsonValue({maxDepth: 2}), constantFrom<unknown>(true, false, 5, [], {})),
	),
	dictionary(constantFrom('env', 'headers'), dictionary(nasty, nasty)),
	dictionary(constantFrom('args'), array(nasty)),
);

const starts = constantFrom<object>({command: 'npx'}, {url}, {url: 'https://аpple.com/'});

/** The review of a configuration; `undefined` when it is refused. */
function attempt(config: unknown): InstallReview | undefined {
	try {
		return reviewed(config);
	} catch (error) {
		if (error instanceof SvcError) {
			return undefined;
		}

		throw error;
	}
}

const entryShown = (review: InstallReview): unknown => {
	const texts = installLines(review).map(({text}) => String(text));
	return JSON.parse(texts.slice(texts.indexOf('  {')).join('\n'));
};

test('whatever a link holds, what is shown is what is written, and all of it can be seen', () => {
	let taken = 0;
	assert(
		property(starts, configs, nasty, (start, config, command) => {
			const review = attempt({...config, ...start, ...('command' in start && {command})});
			taken += review ? 1 : 0;
			for (const {text} of review ? installLines(review) : []) {
				expect(text).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u);
			}

			expect(review ? entryShown(review) : {}).toEqual(review ? {crm: review.entry} : {});
			expect(review?.entry['trust'] ?? 'untrusted').toBe('untrusted');
		}),
		{numRuns: propertyRuns(2000)},
	);
	expect(taken).toBeGreaterThan(propertyRuns(2000) / 10);
});

test('what was reviewed is what config.yaml says afterwards', async () => {
	await assert(
		asyncProperty(starts, configs, async (start, config) => {
			using home = createTemporaryHome();
			const review = attempt({...config, ...start});
			if (review) {
				mkdirSync(home.paths.run, {recursive: true});
				await setToolServer(home.paths, {name: 'crm', entry: review.entry}, {clock: systemClock});
			}

			const loaded = home.load();
			const server = loaded.ok ? loaded.config.toolServers.get('crm') : undefined;
			expect(writtenServers(home.paths).has('crm')).toBe(review !== undefined);
			expect(server?.trust).toBe(review && 'untrusted');
			const file = review ? readFileSync(home.paths.config, 'utf8') : '';
			expect(parse(file)?.mcp_servers?.crm).toEqual(review?.entry);
		}),
		{numRuns: propertyRuns(100)},
	);
});
