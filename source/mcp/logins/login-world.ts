import type {Environment} from '../../config/environment.ts';
import type {LoginAttempt} from '../../core/logins.ts';
import {escapeLine} from '../../core/untrusted.ts';
import type {World} from '../../core/world.ts';
import type {ServerLogins} from '../oauth/server-logins.ts';
import type {OpenTransport} from '../wire/open-transport.ts';
import type {CallbackPorts} from './callback-ports.ts';
import type {LoginWatch} from './login-desk.ts';

const maxHostLength = 300;

/** What is told of the authorization server that shows a page. */
export const issuerHostOf = (issuer: string): Pick<LoginAttempt, 'issuerHost'> => {
	const {host} = URL.parse(issuer) ?? {};
	return host === undefined ? {} : {issuerHost: escapeLine(host, maxHostLength)};
};

/** What a login needs of the rest of the program. */
export type LoginWorld = Pick<World, 'clock' | 'redact'> & {
	/** The process's own. */
	readonly environment: Environment;
	readonly ports: CallbackPorts;
	readonly logins: Pick<ServerLogins, 'login' | 'requestsOf'>;
	readonly open: OpenTransport;
	/** Values that came from variables. */
	readonly secrets: readonly string[];
	readonly watch: LoginWatch;
};
