import type {Config} from '../../config/config.ts';
import type {Environment} from '../../config/environment.ts';
import {expandServer} from '../../config/expand-server.ts';
import {contextVariables} from '../../config/server-references.ts';
import type {Clock} from '../../core/clock.ts';
import {SvcError} from '../../core/errors.ts';
import type {LoginDesk, LoginFlow, LoginPlace} from '../../core/logins.ts';
import {type CallbackPorts, createCallbackPorts} from '../../mcp/logins/callback-ports.ts';
import {createLoginDesk, type LoginWatch} from '../../mcp/logins/login-desk.ts';
import {serverOf} from './live-servers.ts';
import {openServerLog} from './open-manager.ts';

/**
 * The login desk of a person's own process, for the tool servers of a home, whether or not its gateway runs. Its modules are loaded by the first login.
 *
 * @see manual/logins.md
 */
export function openLoginDesk(world: {
	readonly clock: Clock;
	/** The process's own environment. */
	readonly environment: Environment;
	/** Called for each login. @throws SvcError */
	readonly config: () => Config;
}): LoginDesk {
	const {clock, environment, config} = world;
	const ports = createCallbackPorts(clock);
	return createLoginDesk({
		clock,
		async perform(place, {flow}, watch) {
			await performLogin(place, {flow, watch, clock, environment, ports, config: config()});
		},
	});
}

async function performLogin(
	place: LoginPlace,
	given: {
		readonly flow: LoginFlow | undefined;
		readonly watch: LoginWatch;
		readonly clock: Clock;
		readonly environment: Environment;
		readonly ports: CallbackPorts;
		readonly config: Config;
	},
): Promise<void> {
	const {flow, watch, clock, environment, ports, config} = given;
	const {paths, environment: ofProfile} = config.profiles.of(place.profile);
	const expanded = expandServer(serverOf(config, place.server), {
		environment: ofProfile,
		context: contextVariables(ofProfile, config.toolsets.terminal.workdir),
	});
	if (!expanded.ok) {
		throw new SvcError('mcp_connect_failed', expanded.message);
	}

	const [{createServerLogins}, {openRemote}, {runLogin}] = await Promise.all([
		import('../../mcp/oauth/server-logins.ts'),
		import('../../mcp/wire/open-remote.ts'),
		import('../../mcp/logins/run-login.ts'),
	]);
	const own = openServerLog(clock, config, text => watch.note(text));
	const {redact, secrets, authorities} = own;
	const logins = createServerLogins({...own, paths, onSecrets: secrets.part()});
	await runLogin(
		expanded.server,
		{place, flow},
		{
			watch,
			clock,
			environment,
			ports,
			redact,
			secrets: expanded.secrets,
			logins,
			async open(server, options) {
				const {endpoint} = server;
				if (endpoint.transport === 'stdio') {
					throw new SvcError('mcp_connect_failed', `Tool server "${server.name}" has no login`);
				}

				return openRemote({...server, endpoint}, options, {
					clock,
					redact,
					environment,
					authorities,
				});
			},
		},
	);
}
