import {randomUUID} from 'node:crypto';

/** Accepted request ids of clients: none that could forge a log line or another header. */
const sane = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/;

/** The id of a request: the client's if it is acceptable. */
export const requestIdOf = (sent: string | readonly string[] | undefined): string =>
	typeof sent === 'string' && sane.test(sent) ? sent : `req_${randomUUID().replaceAll('-', '')}`;
