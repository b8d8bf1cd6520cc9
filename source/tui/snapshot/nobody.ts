import {SvcError} from '../../core/errors.ts';
import type {PersonLogins} from '../../core/logins.ts';
import {literal} from '../../terminal/text/safe.ts';
import type {Desktop} from '../shell/shell.ts';

const nothing = () => {};

/** A desktop without a person: copying, editing and paging do nothing. */
export const nobodysDesktop: Desktop = {
	copy: async () => literal('nothing is copied in a snapshot'),
	edit: async () => undefined,
	keep: async () => literal('nothing is kept in a snapshot'),
	page: async () => {},
	pageHealth: async () => {},
	pageFile: async () => {},
	manual: async () => true,
	settings: () => [],
	openFile: async () => {},
	ring: nothing,
	redraw: nothing,
	isStalled: () => false,
	givesPromptBack: false,
	endsWithFace: false,
	letGo: nothing,
	leave: nothing,
};

const refuse = (): never => {
	throw new SvcError('snapshot_only_looks', 'Cannot log in or out in a snapshot: it only looks');
};

const none: ReturnType<PersonLogins['attempts']> = [];

/** Logins without a person: none in progress, and none can be started. */
export const nobodysLogins: PersonLogins = {
	attempts: () => none,
	subscribe: () => nothing,
	start: refuse,
	paste: refuse,
	cancel: refuse,
	logOut: async () => refuse(),
	async [Symbol.asyncDispose]() {},
};
