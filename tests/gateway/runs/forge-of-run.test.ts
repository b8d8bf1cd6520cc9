import {chmodSync} from 'node:fs';
import {expect, test} from 'vitest';
import {systemClock} from '../../../source/core/clock.ts';
import type {JsonValue} from '../../../source/core/json.ts';
import {forgeOfRun} from '../../../source/gateway/runs/place-checkout.ts';
import {repositoryIn} from '../../../source/platforms/forge-comment/pull-request.ts';
import {temporaryHome} from '../../helpers/temporary-home.ts';

async function withClient(script: string, profile: Readonly<Record<string, string>> = {}) {
	const home = await temporaryHome({gh: `#!/bin/sh\n${script}\n`});
	chmodSync(home.file('gh'), 0o755);
	return {
		...forgeOfRun(
			{plan: {prompt: 'x', target: {kind: 'log', extra: {}}, skills: [], repository: 'acme/shop'}},
			{
				clock: systemClock,
				forge: {cli: 'gh'},
				environments: {own: {PATH: `${home.path}:${process.env['PATH']}`}, profile},
				signal: new AbortController().signal,
			},
		),
		[Symbol.asyncDispose]: () => home[Symbol.asyncDispose](),
	};
}

test('the token is what `gh auth token` prints, with the login of the profile, away from the folder of the gateway', async () => {
	await using forge = await withClient('echo "$1-$2-$GH_TOKEN-$(pwd)-$OTHER"', {
		GH_TOKEN: 'ghp_1',
		GH_HOST: 'Git.Acme.Example',
		OTHER: 'x',
	});

	expect(forge).toMatchObject({cli: 'gh', host: 'git.acme.example', repository: 'acme/shop'});
	expect(await forge.token()).toBe('auth-token-ghp_1-/-');
});

test('the client is told the host of GH_HOST: older ones print the token of github.com else', async () => {
	const said = async (environment: Readonly<Record<string, string>>) => {
		await using forge = await withClient('echo "$*" | tr " " _', environment);
		return await forge.token();
	};

	expect(await said({})).toBe('auth_token');
	expect(await said({GH_HOST: 'Git.Acme.Example'})).toBe('auth_token_--hostname_git.acme.example');
});

const notLoggedIn = '"gh" is not logged in; run "gh auth login" on this machine or set GH_TOKEN';

test.for([
	['echo "no oauth token" >&2; exit 1', notLoggedIn],
	['echo "no oauth token found for github.com" >&2; exit 1', notLoggedIn],
	['exit 4', notLoggedIn],
	['echo "disk full" >&2; exit 1', '"gh" failed (exit 1): disk full'],
	['true', 'it printed none; log in with "gh auth login"'],
	['echo "two words"', 'it printed none'],
] as const)('a client that prints no token is told of: %s', async ([script, said]) => {
	await using forge = await withClient(script);

	await expect(forge.token()).rejects.toThrow(`Cannot get the token of "gh": `);
	await expect(forge.token()).rejects.toThrow(said);
	expect(forge.host).toBe('github.com');
});

const named = (full_name: JsonValue) => ({repository: {full_name}});
const bodies: ReadonlyArray<readonly [JsonValue, boolean, string | undefined]> = [
	[named('acme/shop'), true, 'acme/shop'],
	[{...named('acme/shop'), pull_request: {number: 7}}, false, 'acme/shop'],
	[{...named('acme/shop'), issue: {number: 7, pull_request: {}}}, false, 'acme/shop'],
	// Bitbucket has the same key.
	[{...named('acme/shop'), pullrequest: {id: 7}}, false, undefined],
	[
		{
			project: {path_with_namespace: 'acme/shop'},
			object_kind: 'merge_request',
			object_attributes: {iid: 7},
		},
		false,
		undefined,
	],
	[named('evil.example/acme/shop'), true, undefined],
	[named('acme/../other'), true, undefined],
	[named('acme/..'), true, undefined],
	[named(7), true, undefined],
	[{}, true, undefined],
	[[], true, undefined],
];

test.for(bodies)('%j (of GitHub: %s) is about %s', ([payload, isGithub, repository]) => {
	expect(repositoryIn(payload, {isGithub})).toBe(repository);
});
