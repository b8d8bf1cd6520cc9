import {SvcError} from '../../core/errors.ts';
import type {PersonLogins} from '../../core/logins.ts';

const refuse = (action: string): never => {
	throw new SvcError('read_only', `Cannot ${action}: this face was opened with --read-only`);
};

/** The logins of somebody who only looks: none begins, none ends, none is removed. */
export const readOnlyLogins = (logins: PersonLogins): PersonLogins => ({
	...logins,
	start: () => refuse('start a login'),
	paste: () => refuse('take an address for a login'),
	cancel: () => refuse('end a login'),
	logOut: async () => refuse('log out'),
});
