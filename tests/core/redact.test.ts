import * as fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {createRedact, createSecretList} from '../../source/core/redact.ts';

const redactNothing = createRedact(() => []);

test('a secret that was replaced is hidden until the end, one of many that were', () => {
	const list = createSecretList();
	const [route, server] = [list.part(), list.part()];
	const redact = createRedact(list.all);
	route(['route-old-1', 'route-kept-1']);
	server(['server-old-1']);
	expect(redact('route-old-1 route-kept-1 server-old-1')).toBe('[redacted] [redacted] [redacted]');
	route(['route-new-1', 'route-kept-1']);
	server([]);
	expect(redact('route-old-1 route-new-1 route-kept-1 server-old-1')).toBe(
		'[redacted] [redacted] [redacted] [redacted]',
	);
	const before = list.all();
	expect(list.all()).toBe(before);

	for (let index = 0; index < 2000; index += 1) {
		route([`token-number-${index}`]);
	}

	expect(list.all()).toHaveLength(501);
	expect(redact('token-number-1999 token-number-1998')).toBe('[redacted] [redacted]');
});

describe('by value', () => {
	const secret = 'p4ss w/rd+"é';
	const redact = createRedact(() => [secret]);

	test.for([
		['as it is', secret],
		['URL-encoded', encodeURIComponent(secret)],
		['URL-encoded in lower case', 'p4ss%20w%2frd%2b%22%c3%a9'],
		['form-encoded', encodeURIComponent(secret).replaceAll('%20', '+')],
		['escaped in JSON', JSON.stringify(secret).slice(1, -1)],
		['in hex', Buffer.from(secret).toString('hex')],
		['in hex of capitals', Buffer.from(secret).toString('hex').toUpperCase()],
	] as const)('hides a secret %s', ([, text]) => {
		expect(redact(`before ${text} after`)).toBe('before [redacted] after');
	});

	test.for([
		['of a form', 'AbC8Q%7EdEf%21Ghi%28Jkl%29S%27%26%3Cx%2F9xyz'],
		['of a form in lower case', 'AbC8Q%7edEf%21Ghi%28Jkl%29S%27%26%3cx%2f9xyz'],
		['of a URL', "AbC8Q~dEf!Ghi(Jkl)S'%26%3Cx%2F9xyz"],
		['encoded twice', 'AbC8Q%257EdEf%2521Ghi%2528Jkl%2529S%2527%2526%253Cx%252F9xyz'],
		['of JSON by PHP', String.raw`AbC8Q~dEf!Ghi(Jkl)S'&<x\/9xyz`],
		['of JSON by Go', String.raw`AbC8Q~dEf!Ghi(Jkl)S'\u0026\u003cx/9xyz`],
		['of HTML', 'AbC8Q~dEf!Ghi(Jkl)S&#39;&amp;&lt;x/9xyz'],
		['of a strict URL', 'AbC8Q~dEf%21Ghi%28Jkl%29S%27%26%3Cx%2F9xyz'],
		['of JSON by .NET', String.raw`AbC8Q~dEf!Ghi(Jkl)S\u0027\u0026\u003Cx/9xyz`],
		['of XML', 'AbC8Q~dEf!Ghi(Jkl)S&apos;&amp;&lt;x/9xyz'],
		['of HTML by PHP', 'AbC8Q~dEf!Ghi(Jkl)S&#039;&amp;&lt;x/9xyz'],
	] as const)('hides a secret in the spelling %s', ([, text]) => {
		const odd = createRedact(() => ["AbC8Q~dEf!Ghi(Jkl)S'&<x/9xyz"]);
		expect(odd(`before ${text} after`)).toBe('before [redacted] after');
	});

	test('hides a secret in JSON within JSON', () => {
		const odd = createRedact(() => ['a"secret\\9']);
		const inner = JSON.stringify({key: 'a"secret\\9'});
		expect(odd(JSON.stringify({inner}))).not.toContain('secret');
	});

	test.for(['base64', 'base64url'] as const)(
		'hides a secret in %s, wherever it begins',
		encoding => {
			for (const prefix of ['', 'u', 'us', 'user:', 'users:', 'a:b:c']) {
				const encoded = Buffer.from(`${prefix}${secret}`).toString(encoding);
				const shown = redact(`x=${encoded};`);
				expect(shown).toContain('[redacted]');
				expect(Buffer.from(shown, encoding).toString('latin1')).not.toContain('w/rd');
			}
		},
	);

	test('hides the longest secret first', () => {
		const both = createRedact(() => ['secret', 'secret-and-more']);

		expect(both('secret-and-more, secret')).toBe('[redacted], [redacted]');
	});

	test('hides each of many that begin alike, also where one ends in the next', () => {
		const values = Array.from({length: 200}, (_, index) => `whsec_${index}`);
		const many = createRedact(() => [...values, 'tail-of-one'], {byShape: false});

		expect(many('<whsec_7> <whsec_77> <whsec_199> <whsec_x>')).toBe(
			'<[redacted]> <[redacted]> <[redacted]> <whsec_x>',
		);
		expect(many('whsec_1tail-of-onewhsec_2')).toBe('[redacted][redacted][redacted]');
	});

	test('leaves values below 6 characters alone', () => {
		expect(createRedact(() => ['a', '12345', ''])('a 12345')).toBe('a 12345');
	});

	test('treats a secret as text, not as a pattern', () => {
		const strange = createRedact(() => ['a.*+?^${}()|[]\\/-']);

		expect(strange('a.*+?^${}()|[]\\/- axxxxxxxx')).toBe('[redacted] axxxxxxxx');
	});

	test('sees new secrets as soon as they are known', () => {
		let secrets = ['first-secret'];
		const current = createRedact(() => secrets);
		expect(current('first-secret second-secret')).toBe('[redacted] second-secret');

		secrets = ['second-secret'];
		expect(current('first-secret second-secret')).toBe('first-secret [redacted]');
	});

	test('what held nothing before is hidden once it is a secret, and shown again when it is none', () => {
		let secrets: readonly string[] = [];
		const hide = createRedact(() => secrets);
		expect(hide('delivery-1')).toBe('delivery-1');
		secrets = ['delivery-1'];
		expect(hide('delivery-1')).toBe('[redacted]');
		secrets = [];
		expect(hide('delivery-1')).toBe('delivery-1');
	});

	test('no secret survives, and hiding twice changes nothing', () => {
		fc.assert(
			fc.property(
				fc.array(fc.string({minLength: 6, maxLength: 20, unit: 'grapheme'}), {maxLength: 5}),
				fc.array(fc.string({unit: 'grapheme'}), {minLength: 1, maxLength: 6}),
				(secrets, words) => {
					const hide = createRedact(() => secrets);
					const once = hide(words.join(`<${secrets.join('> <')}>`));
					for (const value of secrets.filter(text => !'[redacted]'.includes(text))) {
						expect(once.replaceAll('[redacted]', '\0')).not.toContain(value);
					}

					expect(hide(once)).toBe(once);
				},
			),
		);
	});
});

describe('by shape', () => {
	test.for([
		['Authorization: Bearer abc.def', 'Authorization: Bearer [redacted]'],
		['{"authorization":"Basic dXNlcjpwYXNz"}', '{"authorization":"Basic [redacted]"}'],
		['authorization=abcdefgh', 'authorization=[redacted]'],
		['sent bearer abcdefghijklmnopqrstuvwxyz', 'sent bearer [redacted]'],
		['key sk-proj-0123456789abcdef0123', 'key [redacted]'],
		['sk-ant-api03-0123456789abcdef', '[redacted]'],
		['ghp_0123456789abcdefABCDEF0123456789abcd', '[redacted]'],
		['gho_0123456789abcdefABCDEF0123456789abcd', '[redacted]'],
		['github_pat_11ABCDEFG0123456789_abcdefghij', '[redacted]'],
		['glpat-0123456789abcdefghij', '[redacted]'],
		['xoxb-1234567890-abcdefghij', '[redacted]'],
		['xoxa-1234567890-abcdefghij', '[redacted]'],
		['xoxp-1234567890-abcdefghij', '[redacted]'],
		['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', '[redacted]'],
		[`svc_live_${'a1'.repeat(18)}`, '[redacted]'],
		[`svc_test_${'a1'.repeat(18)}`, '[redacted]'],
		['postgres://user:pa:ss@db/x', 'postgres://user:[redacted]@db/x'],
		['https://:token@host/path', 'https://:[redacted]@host/path'],
		['/hook?a=1&token=abcdef&b=2', '/hook?a=1&token=[redacted]&b=2'],
		['AKIAIOSFODNN7EXAMPLE', '[redacted]'],
		['eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2ln', '[redacted]'],
		['a -----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY----- b', 'a [redacted] b'],
		['-----BEGIN OPENSSH PRIVATE KEY-----\nb3Blb', '[redacted]'],
	] as const)('%j becomes %j', ([text, shown]) => {
		expect(redactNothing(text)).toBe(shown);
	});

	test.for([
		'Fix flaky test #123 in api',
		'http://127.0.0.1:8644/health',
		'a task-force-of-some-length-here',
		'ask sk-short',
		'mail ops@example.com',
		'the bearer of bad news',
		'-----BEGIN CERTIFICATE-----',
	])('%j stays', text => {
		expect(redactNothing(text)).toBe(text);
	});
});

test('without shapes only the known values are hidden', () => {
	const redact = createRedact(() => ['known-secret'], {byShape: false});

	expect(redact('known-secret, Authorization: Bearer example')).toBe(
		'[redacted], Authorization: Bearer example',
	);
});
