// @module-tag slow
import {expect, test} from 'vitest';
import {captureConsole} from '../../../source/core/log.ts';
import {temporaryHome} from '../../helpers/temporary-home.ts';
import {examineClient} from './examined-client.ts';
import {runSuite, serveClient} from './serve-client.ts';

/** What one scenario may take: the suite goes through dozens at once. */
const scenarioMs = 120_000;

/** Scenarios that fail whatever the setting is, each with the reason. The suite scores none of them. */
const notScored = {
	'auth/client-credentials-basic': 'a login is a person’s: there is no grant for a machine alone',
	'auth/client-credentials-jwt': 'the same',
	'auth/enterprise-managed-authorization': 'the same: the grant comes from an identity provider',
	'auth/wif-jwt-bearer': 'the same: the grant comes from the workload’s identity',
	'auth/dpop': 'tokens are bearer tokens',
	'auth/dpop-nonce': 'the same',
	'json-schema-2020-12-preservation':
		'a model is shown the keywords that every model API takes, and the examined client sends back what a model is shown',
};

/** Scenarios of 2026-07-28 that count the handshake itself as a request without its headers: `auto` begins with one. */
const countsHandshake = {
	'http-standard-headers': 'the handshake has no "Mcp-Method"',
	'request-metadata': 'the handshake has no "MCP-Protocol-Version" and no "_meta"',
};

/** Scenarios where the requirement is that there is no connection. */
const refuses = [
	'auth/iss-normalized',
	'auth/iss-supported-missing',
	'auth/iss-unexpected',
	'auth/iss-wrong-issuer',
	'auth/metadata-issuer-mismatch',
	'auth/resource-mismatch',
	'auth/scope-retry-limit',
];

/** What the suite's authorization servers grant to no person. */
const needsOtherGrant = Object.keys(notScored).filter(name => /client-cred|enter|wif/.test(name));

// The requirements of both revisions that the contract names: what a client must pass to call itself one of that revision.
test.for([
	['2025-11-25', 'auto', 'with its logins', {}],
	['2025-11-25', 'stateless', 'but for logins', {}],
	['2026-07-28', 'auto', 'but for logins', countsHandshake],
	['2026-07-28', 'stateless', 'with its logins', {}],
] as const)(
	'the client passes all that the official suite requires for %s with "protocol: %s", %s',
	{timeout: 240_000},
	async ([revision, protocol, extent, cannotPass]) => {
		// Logins are most of the scenarios, and the same with either setting: once for each revision.
		const isExamined = (name: string) => extent === 'with its logins' || !name.startsWith('auth/');
		await using folder = await temporaryHome();
		await using client = await serveClient(
			folder,
			async (scenario, io) =>
				!isExamined(scenario.name) || examineClient(scenario, {protocol, ...io}),
		);
		// The SDK's, of tools that it leaves out.
		using _ = captureConsole(() => {});

		const {said} = await runSuite({
			requirements: revision,
			timeout: String(scenarioMs),
			command: client.command,
			'output-dir': folder.file('results'),
		});

		const [, summary = `no summary: ${said}`] = said.split('=== SUITE SUMMARY ===');
		const passed = namesAfter('✓', summary).filter(isExamined);
		const failed = namesAfter('✗', summary).filter(isExamined);
		expect(passed).toContain(
			isExamined('auth/scope-step-up') ? 'auth/scope-step-up' : 'tools_call',
		);
		expect(failed).toEqual(
			Object.keys({...notScored, ...cannotPass})
				.filter(isExamined)
				.toSorted(),
		);
		const seen = new Set([...passed, ...failed]);
		expect([...client.unconnected].toSorted()).toEqual(
			[...refuses, ...needsOtherGrant].filter(name => seen.has(name)).toSorted(),
		);
	},
);

/** Names of the scenarios with this sign in the summary of a run, sorted. */
const namesAfter = (sign: string, summary: string): readonly string[] =>
	[...summary.matchAll(new RegExp(`^${sign} (\\S+):`, 'gm'))]
		.map(([, name = '']) => name)
		.toSorted();
