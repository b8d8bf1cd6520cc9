import type {ToolServerConfig} from '../../config/tool-server.ts';
import type {DeviceLoginOptions} from './device/log-in-by-device.ts';
import {issuerHostOf, type LoginWorld} from './login-world.ts';

/** One login with a code: no browser is started, nobody comes back to this machine. @throws ConnectError */
export async function deviceLogin(
	server: ToolServerConfig,
	{clock, logins, open, secrets, watch}: LoginWorld,
): Promise<void> {
	const requests = await logins.requestsOf(server);
	const options: DeviceLoginOptions = {
		open,
		secrets,
		signal: watch.signal,
		showCode(
			{userCode, verificationUri, verificationUriComplete, verificationHost},
			{waitMs, issuer},
		) {
			watch.tell({
				status: 'waiting',
				userCode,
				verificationUri,
				verificationHost,
				...issuerHostOf(issuer),
				...(verificationUriComplete !== undefined && {verificationUriComplete}),
				endsAt: clock.now() + waitMs,
			});
		},
		onAsked(polling) {
			watch.tell({polling});
		},
		onAgreed() {
			watch.tell({status: 'finishing'});
		},
	};
	const {logInByDevice} = await import('./device/log-in-by-device.ts');
	await logInByDevice(server, options, requests);
}
