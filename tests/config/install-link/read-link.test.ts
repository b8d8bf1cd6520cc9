import {
	array,
	assert,
	constantFrom,
	dictionary,
	jsonValue,
	oneof,
	property,
	record,
	string,
} from 'fast-check';
import {expect, test} from 'vitest';
import {readInstallLink} from '../../../source/config/install-link/read-link.ts';
import {codeOf} from '../../../source/core/errors.ts';
import {isJsonObject} from '../../../source/core/json.ts';
import {propertyRuns} from '../../helpers/property-runs.ts';

const encode = (value: unknown): string =>
	Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');

const linkOf = (config: unknown, name = 'crm'): string =>
	`svc://mcp/install?name=${name}&config=${encode(config)}`;

/** The code that a link is refused with; `fine` when it is not. */
function verdict(link: string): string {
	try {
		readInstallLink(link);
		return 'fine';
	} catch (error) {
		return codeOf(error);
	}
}

const remote = {url: 'https://crm.example/mcp'};

test('a link is its name and its configuration, in base64url and in base64, padded or not', () => {
	// Both alphabets differ in this one, and it needs padding.
	const config = {command: 'ünï?>~', args: ['??>>']};
	const bytes = Buffer.from(JSON.stringify(config));
	const base64 = bytes.toString('base64');
	expect(base64).toMatch(/[+/]/);
	expect(base64).toMatch(/=$/);
	for (const encoded of [
		base64,
		base64.replaceAll('=', ''),
		encodeURIComponent(base64),
		bytes.toString('base64url'),
		base64.replaceAll('+', '-').replaceAll('/', '_'),
	]) {
		expect(readInstallLink(`svc://mcp/install?name=a.B_9-&config=${encoded}`)).toEqual({
			name: 'a.B_9-',
			config,
			ignored: [],
		});
	}
});

test.each([
	['SVC://MCP/Install?name=a&config='],
	['svc://mcp/install/?config=', '&name=a'],
	[' svc://mcp/install?x=1&name=a&config=', '#top\n'],
	['svc://mcp/install?n%61me=%61&&config='],
])('%s… is taken', (before, after = '') => {
	expect(readInstallLink(`${before}${encode(remote)}${after}`)).toMatchObject({
		name: 'a',
		config: remote,
	});
});

const long = (length: number) => `{"command":"${'x'.repeat(length - 14)}"}`;

const cases = [
	// "errors invalid_name, missing_config, payload_too_large, bad_encoding, not_an_object, invalid_shape, invalid_url, in that order"
	['https://mcp/install?name=a&config=e30', 'invalid_link'],
	['svc://mcp/remove?name=a&config=e30', 'invalid_link'],
	['svc://mcp/installed?name=a&config=e30', 'invalid_link'],
	['', 'invalid_link'],
	['svc://mcp/install', 'invalid_name'],
	['svc://mcp/install?config=e30', 'invalid_name'],
	['svc://mcp/install?name=&config=!', 'invalid_name'],
	[`svc://mcp/install?name=${'a'.repeat(65)}&config=e30`, 'invalid_name'],
	['svc://mcp/install?name=a%20b&config=e30', 'invalid_name'],
	['svc://mcp/install?name=%E0%A4%A&config=e30', 'invalid_name'],
	['svc://mcp/install?name=cr%D0%BC', 'invalid_name'],
	['svc://mcp/install?name=a%0A', 'invalid_name'],
	['svc://mcp/install?name=a+b', 'invalid_name'],
	['svc://mcp/install?name=a&name=b&config=e30', 'invalid_name'],
	['svc://mcp/install?name=a', 'missing_config'],
	['svc://mcp/install?name=a&config=', 'missing_config'],
	['svc://mcp/install?name=a&config=e30&config=e30', 'missing_config'],
	[`svc://mcp/install?name=a&config=${'!'.repeat(43_701)}`, 'payload_too_large'],
	[`svc://mcp/install?name=a&config=${'%21'.repeat(43_701)}`, 'payload_too_large'],
	[`svc://mcp/install?name=a&config=${'!'.repeat(43_700)}`, 'bad_encoding'],
	[linkOf(long(32 * 1024)), 'fine'],
	[linkOf(long(32 * 1024 + 1)), 'payload_too_large'],
	['svc://mcp/install?name=a&config=%zz', 'bad_encoding'],
	['svc://mcp/install?name=a&config=e3 0', 'bad_encoding'],
	['svc://mcp/install?name=a&config=e30==', 'bad_encoding'],
	['svc://mcp/install?name=a&config=e30%3D', 'invalid_shape'],
	['svc://mcp/install?name=a&config=e', 'bad_encoding'],
	['svc://mcp/install?name=a&config=e31', 'bad_encoding'],
	['svc://mcp/install?name=a&config=-_/+', 'bad_encoding'],
	[
		`svc://mcp/install?name=a&config=${Buffer.from([0xff, 0xfe]).toString('base64')}`,
		'bad_encoding',
	],
	[linkOf('{"url":"https://a.example"'), 'bad_encoding'],
	[linkOf('\ufeff{"url":"https://a.example"}'), 'bad_encoding'],
	[linkOf([]), 'not_an_object'],
	[linkOf('null'), 'not_an_object'],
	[linkOf('"https://a.example"'), 'not_an_object'],
	[linkOf('['.repeat(9000) + ']'.repeat(9000)), 'not_an_object'],
	[linkOf({}), 'invalid_shape'],
	[linkOf({url: 5}), 'invalid_shape'],
	[linkOf({command: ['sh', '-c', 'x']}), 'invalid_shape'],
	[linkOf({command: ' '}), 'invalid_shape'],
	[linkOf({...remote, command: 'npx'}), 'invalid_shape'],
	[linkOf({url: 'ftp://a', command: 'npx'}), 'invalid_shape'],
	[linkOf({...remote, command: null}), 'fine'],
	[linkOf('{"url":"https://a.example","url":"https://b.example"}'), 'invalid_shape'],
	[linkOf('{"command":"a","env":{"A":"1","\\u0041":"2"}}'), 'invalid_shape'],
	[linkOf('{"command":"a","__proto__":{"x":1}}'), 'invalid_shape'],
	[linkOf('{"command":"a","env":{"__proto__":"x"}}'), 'invalid_shape'],
	[linkOf('{"__proto__":{"command":"a"}}'), 'invalid_shape'],
	[linkOf('{"command":"a","timeout":1e999}'), 'invalid_shape'],
	[linkOf('{"command":"a\\ud800"}'), 'invalid_shape'],
	[linkOf('{"command":"a\\\\ud800"}'), 'fine'],
	[linkOf('{"command":"a\\ud83d\\ude00"}'), 'fine'],
	[linkOf(`{"command":"a","x":${'['.repeat(9000)}${']'.repeat(9000)}}`), 'invalid_shape'],
	[linkOf({url: ''}), 'invalid_url'],
	[linkOf({url: 'ftp://a.example'}), 'invalid_url'],
	[linkOf({url: 'javascript:alert(1)'}), 'invalid_url'],
	[linkOf({url: 'https:a.example'}), 'invalid_url'],
	[linkOf({url: ' https://a.example'}), 'invalid_url'],
	[linkOf({url: 'https://'}), 'invalid_url'],
	// oxlint-disable-next-line no-template-curly-in-string -- a reference
	[linkOf({url: '${URL}'}), 'invalid_url'],
	// oxlint-disable-next-line no-template-curly-in-string -- a reference
	[linkOf({url: 'https://${HOST}:${PORT}/mcp'}), 'fine'],
	// oxlint-disable-next-line no-template-curly-in-string -- a reference
	[linkOf({url: 'https://${USER}:${PASSWORD}@a.example/mcp'}), 'invalid_url'],
	[linkOf({url: 'https://good.example@a.example/mcp'}), 'invalid_url'],
	[linkOf({url: 'HTTPS://A.example'}), 'fine'],
	[linkOf({constructor: 1}), 'invalid_shape'],
] as const;

test.each(cases.map(([link, expected]) => ({link, expected, start: link.slice(0, 80)})))(
	'$start is $expected',
	({link, expected}) => {
		expect(verdict(link)).toBe(expected);
	},
);

test('no message holds what the link holds', () => {
	for (const link of [linkOf({url: 'ftp://s3cr3t'}), linkOf('{"s3cr3t"'), linkOf({s3cr3t: 1})]) {
		expect(() => readInstallLink(link)).toThrow(expect.not.stringContaining('s3cr3t') as never);
	}
});

const codes =
	'invalid_link invalid_name missing_config payload_too_large bad_encoding not_an_object invalid_shape invalid_url fine'.split(
		' ',
	);

const junk = oneof(
	string({unit: 'binary', maxLength: 30}),
	constantFrom(
		'name=a',
		'config=',
		'&',
		'=',
		'%',
		'%zz',
		'#',
		'?',
		encode(remote),
		encode({command: 'npx'}),
		encode([]),
		'svc://mcp/install?name=a&config=',
	),
);

test('whatever the text, it is a link, or refused with one of the codes', () => {
	assert(
		property(array(junk, {maxLength: 8}), parts => {
			for (const link of [parts.join(''), `svc://mcp/install?${parts.join('')}`]) {
				expect(codes).toContain(verdict(link));
			}
		}),
		{numRuns: propertyRuns(3000)},
	);
});

/** What the contract says of a decoded configuration, told again without the program. */
function expectedOf(config: unknown): string {
	if (!isJsonObject(config)) {
		return 'not_an_object';
	}

	const has = (key: string) =>
		Object.hasOwn(config, key) && config[key] !== null ? config[key] : undefined;
	const [url, command] = [has('url'), has('command')];
	if ((url === undefined) === (command === undefined)) {
		return 'invalid_shape';
	}

	if (url === undefined) {
		return typeof command === 'string' && command.trim() !== '' ? 'fine' : 'invalid_shape';
	}

	return typeof url !== 'string'
		? 'invalid_shape'
		: /^https?:\/\/[a-z]/.test(url)
			? 'fine'
			: 'invalid_url';
}

const value = oneof(
	constantFrom<unknown>(
		'https://a.example',
		'http://b',
		'ftp://a',
		'npx',
		'',
		' ',
		0,
		null,
		[],
		{},
	),
	jsonValue({maxDepth: 1}),
);

const isPlain = (config: unknown): boolean =>
	!/"(?:__proto__|<<)"|\\u[dD][89a-fA-F]/.test(JSON.stringify(config));

test('of a configuration it says what the contract says, and takes it over as it is', () => {
	const config = oneof(
		record({url: value, command: value, trust: value}, {requiredKeys: []}),
		dictionary(constantFrom('url', 'command', 'env', 'toString', 'x'), value),
		jsonValue(),
	)
		.filter(isPlain)
		// JSON has no -0.
		.map((drawn): unknown => JSON.parse(JSON.stringify(drawn)));
	assert(
		property(config, written => {
			const link = linkOf(JSON.stringify(written));
			const expected = expectedOf(written);
			expect(verdict(link)).toBe(expected);
			expect(expected === 'fine' ? readInstallLink(link).config : written).toEqual(written);
		}),
		{numRuns: propertyRuns(3000)},
	);
});

test.for(['%%%', '%zz', 'e3 0'])(
	'a config of %s is said to be no base64, not to be no JSON',
	config => {
		expect(() => readInstallLink(`svc://mcp/install?name=a&config=${config}`)).toThrow(
			'must be base64url, or base64',
		);
	},
);
