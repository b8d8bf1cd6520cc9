import type {Environment} from '../../config/environment.ts';
import type {LoginAttempt} from '../../core/logins.ts';
import {escapeLine} from '../../core/untrusted.ts';
import type {World} from '../../core/world.ts';
import type {ServerLogins} from '../oauth/server-logins.ts';
import type {OpenTransport} from '../wire/open-transport.ts';
import type {CallbackPorts} from './callback-ports.ts';
import type {LoginWatch} from './login-desk.ts';

const maxHostLength = 300;

/** The host of the authorization server whose page is shown. */
export const issuerHostOf = (issuer: string): Pick<LoginAttempt, 'issuerHost'> => {
	const {host} = URL.parse(issuer) ?? {};
	return host === undefined ? {} : {issuerHost: escapeLine(host, maxHostLength)};
};

/** What a login needs from the rest of the program. */
export type LoginWorld = Pick<World, 'clock' | 'redact'> & {
	/** The process's environment. */
	readonly environment: Environment;
	readonly ports: CallbackPorts;
	readonly logins: Pick<ServerLogins, 'login' | 'requestsOf'>;
	readonly open: OpenTransport;
	/** Values from variables, to be redacted. */
	readonly secrets: readonly string[];
	readonly watch: LoginWatch;
};
