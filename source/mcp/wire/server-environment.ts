import type {Environment} from '../../config/environment.ts';
import {isNetworkVariable} from '../../core/network-variables.ts';

/** The variables that a stdio server inherits. */
const inherited = /^(?:PATH|HOME|USER|LOGNAME|LANG|LC_[A-Z_]+|TERM|SHELL|TMPDIR|XDG_[A-Z_]+)$/;

/**
 * The complete environment of a stdio server: `PATH HOME USER LOGNAME LANG LC_* TERM SHELL TMPDIR XDG_*`, proxies and certificates (`core/network-variables`) of
 * this process, overridden by its own `env`. Functions exported by a shell (`() {…`) are left out.
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
