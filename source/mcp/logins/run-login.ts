import type {ToolServerConfig} from '../../config/tool-server.ts';
import {messageOf} from '../../core/errors.ts';
import type {LoginFlow, LoginPlace} from '../../core/logins.ts';
import {escapeLine} from '../../core/untrusted.ts';
import {oauthSettingsOf} from '../oauth/oauth-settings.ts';
import {ConnectError} from '../wire/connect-error.ts';
import {browserLogin} from './browser-login.ts';
import {deviceLogin} from './device-login.ts';
import type {LoginWorld} from './login-world.ts';

const maxHostLength = 300;
const maxReasonLength = 1000;

/**
 * Goes through one login of a server whose references are expanded.
 *
 * @throws ConnectError, redacted and cleaned
 */
export async function runLogin(
	server: ToolServerConfig,
	{place, flow}: {readonly place: LoginPlace; readonly flow: LoginFlow | undefined},
	world: LoginWorld,
): Promise<void> {
	const settings = oauthSettingsOf(server);
	const url = server.endpoint.transport === 'stdio' ? null : URL.parse(server.endpoint.url);
	if (!settings || !url) {
		throw new ConnectError({
			kind: 'permanent',
			message: `Tool server "${server.name}" has no login: its entry lacks "auth: oauth"`,
		});
	}

	const chosen = flow ?? settings.flow;
	world.watch.tell({flow: chosen, serverHost: escapeLine(url.host, maxHostLength)});
	try {
		await (chosen === 'device'
			? deviceLogin(server, world)
			: browserLogin(server, {place, settings}, world));
	} catch (error) {
		const message = escapeLine(world.redact(messageOf(error)), maxReasonLength);
		throw new ConnectError({kind: 'needs-login', message}, {cause: error});
	}
}
