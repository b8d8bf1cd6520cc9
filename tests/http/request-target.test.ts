import type {IncomingMessage} from 'node:http';
import {expect, test} from 'vitest';
import {hostOfAuthority, requestTargetOf} from '../../source/http/http-messages.ts';

const asked = (url: string, host?: string) =>
	// What a server hands over, as far as this is read.
	// oxlint-disable-next-line typescript/no-unsafe-type-assertion
	requestTargetOf({url, headers: {host}} as IncomingMessage);

test.for([
	['/health', 'a.example', 'a.example', '/health'],
	['/health?probe=1', 'a.example:8644', 'a.example:8644', '/health'],
	['http://b.example/health?x', 'a.example', 'b.example', '/health'],
	['HTTPS://b.example:1/health', 'a.example', 'b.example:1', '/health'],
	['http://b.example', 'a.example', 'b.example', ''],
	['http://b.example?x', 'a.example', 'b.example', ''],
	['/http://b.example/health', 'a.example', 'a.example', '/http://b.example/health'],
	['*', 'a.example', 'a.example', '*'],
	['/health', undefined, undefined, '/health'],
] as const)('%s with the Host %s is for %s and %s', ([url, host, authority, path]) => {
	expect(asked(url, host)).toEqual({authority, path});
});

test.for([
	['a.example:8644', 'a.example'],
	['a.example:', 'a.example'],
	['[::1]:8644', '[::1]'],
	['a.example', 'a.example'],
] as const)('the host of %s is %s', ([authority, host]) => {
	expect(hostOfAuthority(authority)).toBe(host);
});
