import type {ToolServerConfig} from '../../config/tool-server.ts';
import {messageOf} from '../../core/errors.ts';
import type {LoginFlow, LoginPlace} from '../../core/logins.ts';
import {escapeLine} from '../../core/untrusted.ts';
import {oauthSettingsOf} from '../oauth/oauth-settings.ts';
import {ConnectError, permanent} from '../wire/connect-error.ts';
import {browserLogin} from './browser-login.ts';
import type {DeviceLoginOptions} from './device/log-in-by-device.ts';
import {issuerHostOf, type LoginWorld} from './login-world.ts';

const maxHostLength = 300;
const maxReasonLength = 1000;

/**
 * Performs a login to a server whose references are expanded.
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
		throw new ConnectError(
			permanent(`Tool server "${server.name}" has no login: its entry lacks "auth: oauth"`),
		);
	}

	const chosen = flow ?? settings.flow;
	world.watch.tell({flow: chosen, serverHost: escapeLine(url.host, maxHostLength)});
	try {
		await (chosen === 'device'
			? deviceLogin(server, world)
			: browserLogin({server, place, settings, world}));
	} catch (error) {
		const message = escapeLine(world.redact(messageOf(error)), maxReasonLength);
		throw new ConnectError({kind: 'needs-login', message}, {cause: error});
	}
}

/** A login by code: starts no browser here, and expects no redirect. @throws ConnectError */
async function deviceLogin(
	server: ToolServerConfig,
	{clock, logins, open, secrets, watch}: LoginWorld,
): Promise<void> {
	const requests = await logins.requestsOf(server);
	const options: DeviceLoginOptions = {
		open,
		secrets,
		signal: watch.signal,
		showCode(code, {waitMs, issuer}) {
			const {deviceCode: _, lifetimeMs: __, intervalMs: ___, ...shown} = code;
			const endsAt = clock.now() + waitMs;
			watch.tell({status: 'waiting', ...shown, ...issuerHostOf(issuer), endsAt});
		},
		onAsked: polling => watch.tell({polling}),
		onAgreed: () => watch.tell({status: 'finishing'}),
	};
	const {logInByDevice} = await import('./device/log-in-by-device.ts');
	await logInByDevice(server, options, requests);
}
