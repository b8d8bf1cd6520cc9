import {createAuthorities} from '../../source/config/authorities.ts';
import {silentLogger} from '../../source/core/log.ts';

/** Node's and the system's. */
export const plainAuthorities = createAuthorities(
	() => ({tls: {ca: []}, environment: {}, paths: {home: '/'}}),
	{log: silentLogger},
);
