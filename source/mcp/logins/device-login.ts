import type {ToolServerConfig} from '../../config/tool-server.ts';
import type {LoginWorld} from './run-login.ts';

/** One login with a code: no browser is started, nobody comes back to this machine. @throws ConnectError */
export async function deviceLogin(
	server: ToolServerConfig,
	{clock, logins, open, secrets, watch}: LoginWorld,
): Promise<void> {
	await logins.loginByDevice(server, {
		open,
		secrets,
		signal: watch.signal,
		showCode({userCode, verificationUri, verificationUriComplete, verificationHost}, waitMs) {
			watch.tell({
				status: 'waiting',
				userCode,
				verificationUri,
				verificationHost,
				...(verificationUriComplete !== undefined && {verificationUriComplete}),
				endsAt: clock.now() + waitMs,
			});
		},
		onAgreed() {
			watch.tell({status: 'finishing'});
		},
	});
}
