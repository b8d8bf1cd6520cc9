import {expect, test} from 'vitest';
import {readCode} from '../../../source/mcp/logins/device/ask-for-code.ts';

const answer = {
	device_code: 'd',
	user_code: 'WDJB-MJHT',
	verification_uri: 'https://as.example/device',
	verification_uri_complete: 'https://as.example/device?user_code=WDJB-MJHT',
	expires_in: 1800,
	interval: 5,
};

const read = (changes: Readonly<Record<string, unknown>>) =>
	readCode(JSON.stringify({...answer, ...changes}), 'public');

test('what a person needs is taken from the answer', () => {
	expect(read({})).toEqual({
		deviceCode: 'd',
		userCode: 'WDJB-MJHT',
		verificationUri: 'https://as.example/device',
		verificationUriComplete: 'https://as.example/device?user_code=WDJB-MJHT',
		verificationHost: 'as.example',
		lifetimeMs: 1_800_000,
		intervalMs: 5000,
	});
});

test('what a server may leave out has the defaults of RFC 8628, and never asks without a pause', () => {
	expect(read({interval: undefined, verification_uri_complete: undefined})).toMatchObject({
		intervalMs: 5000,
	});
	expect(read({interval: 0.001})).toMatchObject({intervalMs: 1000});
	expect(read({expires_in: '90'})).toMatchObject({lifetimeMs: 90_000});
});

test.for([
	'javascript:alert(1)',
	'file:///etc/passwd',
	'as.example/device',
	'https://a:b@as.example',
	'http://as.example/device',
	'http://localhost:8080/delete?all',
	'https://127.0.0.1/device',
	'https://[::ffff:192.168.0.1]/device',
	'https://2852039166/device',
])('no person is sent to %s', page => {
	expect(read({verification_uri: page})).toEqual({
		problem: 'its authorization server names no https:// page where the code is typed',
	});
});

test('a page with the code in it that is on another host is left out', () => {
	const code = read({verification_uri_complete: 'https://evil.example/device?user_code=X'});

	expect(code).not.toHaveProperty('verificationUriComplete');
	expect(code).toHaveProperty('verificationHost', 'as.example');
});

test.for(['WDJB-MJHT', 'A1NWZ9', 'abcd-1234-efgh', '123 456 789', 'K'.repeat(32)])(
	'%s is a code',
	userCode => {
		expect(read({user_code: userCode})).toMatchObject({userCode});
	},
);

test.for([
	['a line break and a sentence', 'ABCD\nThen open http://evil.example and press a'],
	['a sentence', 'ABCD and open evil example'],
	['an address', 'http://evil.example'],
	['a host', 'evil.example'],
	['what writes on the terminal', 'A\u001b[2J\u202eB'],
	['letters that others look like', '\u0410BCD'],
	['more than a code has', 'K'.repeat(33)],
	['nothing between hyphens', 'AB--CD'],
	['blanks', ' '],
])('%s is no code, and is shown to nobody but quoted', ([, userCode = '']) => {
	const {problem} = read({user_code: userCode}) as {problem?: string};

	expect(problem).toMatch(
		/^its authorization server gives ".{1,60}" as the code to type: a code is letters and digits, with hyphens, at most 32 characters$/,
	);
});

test.for(['', '<html>', '[]', '{"device_code": "d"}'])('no code in %j', text => {
	expect(readCode(text, 'public')).toEqual({
		problem: 'the answer of its authorization server holds no code',
	});
});
