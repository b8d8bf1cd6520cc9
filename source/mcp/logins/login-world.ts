import type {Environment} from '../../config/environment.ts';
import type {Clock} from '../../core/clock.ts';
import type {Redact} from '../../core/redact.ts';
import type {ServerLogins} from '../oauth/server-logins.ts';
import type {OpenTransport} from '../wire/open-transport.ts';
import type {CallbackPorts} from './callback-ports.ts';
import type {LoginWatch} from './login-desk.ts';

/** What a login needs of the rest of the program. */
export type LoginWorld = {
	readonly clock: Clock;
	/** The process's own. */
	readonly environment: Environment;
	readonly redact: Redact;
	readonly ports: CallbackPorts;
	readonly logins: Pick<ServerLogins, 'login' | 'requestsOf'>;
	readonly open: OpenTransport;
	/** Values that came from variables. */
	readonly secrets: readonly string[];
	readonly watch: LoginWatch;
};
