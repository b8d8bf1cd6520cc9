import {expect, test} from 'vitest';
import {hostRuleText, isListed, readHostRule} from '../../source/core/hosts.ts';

test.for([
	['*', 'https://any.example/', true],
	['*', 'http://any.example/', true],
	['*', 'https://any.example:8443/', false],
	['*:8443', 'https://any.example:8443/', true],
	['docs.example.com', 'https://docs.example.com/', true],
	['Docs.Example.COM', 'https://docs.example.com./', true],
	['docs.example.com.', 'https://docs.example.com/', true],
	['docs.example.com', 'https://www.docs.example.com/', false],
	['docs.example.com', 'https://docs.example.com.evil.example/', false],
	['*.example.com', 'https://docs.example.com/', true],
	['*.example.com', 'https://a.b.example.com/', true],
	['*.example.com', 'https://example.com/', false],
	['*.example.com', 'https://badexample.com/', false],
	['*.example.com', 'https://.example.com/', false],
	['example.com:8080', 'http://example.com:8080/', true],
	['example.com:8080', 'http://example.com/', false],
	['bücher.example', 'https://xn--bcher-kva.example/', true],
	['127.0.0.1:9000', 'http://2130706433:9000/', true],
	['0x7f.1:9000', 'http://127.0.0.1:9000/', true],
	['[::1]:9000', 'http://[0:0:0:0:0:0:0:1]:9000/', true],
] as const)('%s and %s: %s', ([rule, asked, expected]) => {
	const {hostname, port, protocol} = new URL(asked);
	const read = readHostRule(rule);
	expect(read).toBeDefined();
	expect(read && readHostRule(hostRuleText(read))).toEqual(read);
	expect(
		isListed(read ? [read] : [], {
			host: hostname,
			port: Number(port) || (protocol === 'https:' ? 443 : 80),
		}),
	).toBe(expected);
});

test.for([
	'',
	' ',
	'https://example.com',
	'example.com/path',
	'user@example.com',
	'example.com:0',
	'example.com:65536',
	'example.com:port',
	'*.*',
	'*.*.example.com',
	'a*.example.com',
	'*.127.0.0.1',
	'*.[::1]',
	'::1',
	'[::1',
	'exam ple.com',
	'example.com?x',
	'example.com\u0000',
])('%j is no host of a list', text => {
	expect(readHostRule(text)).toBeUndefined();
});

test('a list of nothing allows nothing', () => {
	expect(isListed([], {host: 'example.com', port: 443})).toBe(false);
});
