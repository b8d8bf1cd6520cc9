import {randomUUID} from 'node:crypto';

/** What a client may call a request: nothing that could forge a line of the log or another header. */
const sane = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/;

/** The name of a request: the client's where it sent a sane one. */
export const requestIdOf = (sent: string | readonly string[] | undefined): string =>
	typeof sent === 'string' && sane.test(sent) ? sent : `req_${randomUUID().replaceAll('-', '')}`;
