import type {GroupExit} from '../../core/process-group.ts';
import type {Failure} from '../delivery-error.ts';

/** The failures of a client and their consequences for a delivery. */
export const forgeFailures = {
	forge_client_missing: {},
	forge_client_unusable: {},
	forge_not_authenticated: {},
	forge_forbidden: {},
	forge_target_not_found: {},
	forge_rejected: {},
	forge_rate_limited: {passes: true},
	forge_failed: {passes: true},
} as const satisfies Readonly<Record<string, Failure>>;

type ForgeCode = keyof typeof forgeFailures;

/** Why the code host's client failed. `reason` quotes the client: to be cleaned and redacted. */
export type ForgeFailure = {readonly code: ForgeCode; readonly reason: string};

/** Converts the exit of a client that could not be started, or ended with a code other than 0. Pure. */
export function failureOfClient(
	exit: GroupExit & {readonly kind: 'not-started' | 'exited'},
	cli: string,
): ForgeFailure {
	if (exit.kind === 'exited') {
		return failureOfExit(exit, cli);
	}

	return exit.code === 'ENOENT'
		? {
				code: 'forge_client_missing',
				reason: `"${cli}" is not installed; install it or set forge.cli`,
			}
		: {code: 'forge_client_unusable', reason: `"${cli}" cannot be run (${exit.code})`};
}

/** Messages of clients and their meaning; the first match counts. */
const complaints: ReadonlyArray<readonly [RegExp, ForgeCode]> = [
	[/rate limit|abuse detection|HTTP 429/i, 'forge_rate_limited'],
	[/HTTP 5\d\d/i, 'forge_failed'],
	[/HTTP 401|bad credentials|auth login|not logged in/i, 'forge_not_authenticated'],
	[/could not resolve to an?|HTTP 404|not found/i, 'forge_target_not_found'],
	[/HTTP 403|forbidden|not accessible|permission|SAML/i, 'forge_forbidden'],
	[/HTTP 4(?:06|10|22|51)|locked|too long|unknown (?:flag|command)/i, 'forge_rejected'],
];

export const notLoggedIn = (cli: string): string =>
	`"${cli}" is not logged in; run "${cli} auth login" on this machine or set GH_TOKEN`;

/** `gh` documents exit code 4 as "requires authentication", and 1 as any other failure. */
const authenticationExit = 4;

/** The message of `gh auth token`, which exits with 1, when not logged in; newer versions append the host. */
const noToken = /^no oauth token\b/i;

/**
 * Whether the client's answer to `auth status` means that it is not logged in anywhere. It also exits with 1 if the login of one of several hosts is broken, and other
 * clients may lack the command: neither counts. Pure.
 */
export const isLoggedOut = ({
	code,
	stdout,
	stderr,
}: GroupExit & {readonly kind: 'exited'}): boolean =>
	code === authenticationExit ||
	(code !== 0 && /not logged (?:into|in to) any\b/i.test(`${stderr}\n${stdout}`));

function failureOfExit(
	{code, stdout, stderr}: GroupExit & {readonly kind: 'exited'},
	cli: string,
): ForgeFailure {
	const said = (stderr.trim() || stdout.trim()).slice(0, 2000);
	if (code === authenticationExit || noToken.test(said)) {
		return {code: 'forge_not_authenticated', reason: notLoggedIn(cli)};
	}

	// URLs are removed first: they contain the repository's name, which may match by chance.
	const words = said.replaceAll(/\bhttps?:\/\/\S+/gi, '');
	const [, complaint = 'forge_failed'] = complaints.find(([pattern]) => pattern.test(words)) ?? [];
	const how = code === null ? 'was ended by a signal' : `failed (exit ${code})`;
	return {code: complaint, reason: said === '' ? `"${cli}" ${how}` : `"${cli}" ${how}: ${said}`};
}
