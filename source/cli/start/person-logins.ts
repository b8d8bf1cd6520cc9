import type {PersonLogins} from '../../core/logins.ts';
import type {Context} from '../console/context.ts';
import {createLateLogins} from './late-logins.ts';

/** The logins of whoever sits before the interface of this process, to the tool servers of the context's home; its gateway may run elsewhere. */
export function openPersonLogins(context: Context): PersonLogins {
	const {clock, environment} = context;
	return createLateLogins({
		clock,
		async load() {
			const [{openLoginDesk}, {forgetLogin}, {readConfig}] = await Promise.all([
				import('../../gateway/servers/open-login-desk.ts'),
				import('../../mcp/oauth/forget-login.ts'),
				import('../home/receiver-facts.ts'),
			]);
			const config = () => readConfig(context);
			return {
				...openLoginDesk({clock, environment, config}),
				async logOut({server, profile}) {
					const {mcpTokens} = config().profiles.of(profile).paths;
					return forgetLogin(mcpTokens, {server, clock});
				},
			};
		},
	});
}
