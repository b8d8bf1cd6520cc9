import type {Environment} from '../../config/environment.ts';
import {isNetworkVariable} from '../../core/network-variables.ts';

/** What a stdio server gets of this process's environment. */
const inherited = /^(?:PATH|HOME|USER|LOGNAME|LANG|LC_[A-Z_]+|TERM|SHELL|TMPDIR|XDG_[A-Z_]+)$/;

/**
 * The whole environment of a stdio server: `PATH HOME USER LOGNAME LANG LC_* TERM SHELL TMPDIR XDG_*`, proxies and certificates
 * (`core/network-variables`) of this process under its own `env`, nothing else. Functions that a shell has exported (`() {…`) stay out.
 *
 * @see manual/tool-servers.md#states
 */
export const serverEnvironment = (
	environment: Environment,
	own: Readonly<Record<string, string>>,
): Environment => ({
	...Object.fromEntries(
		Object.entries(environment).filter(
			([name, value]) =>
				(inherited.test(name) || isNetworkVariable(name)) && !value.startsWith('()'),
		),
	),
	...own,
});
