import {afterAll, describe, test} from 'vitest';
import {hasPostgres, startPostgres} from '../helpers/postgres.ts';
import {describeStore} from './contract.ts';
import {createPostgresHomes} from './postgres-home.ts';

if (hasPostgres) {
	const server = await startPostgres();
	afterAll(() => server[Symbol.asyncDispose]());
	describeStore('postgres', createPostgresHomes(server));
} else {
	describe('postgres', () => {
		test.skip('left out: no PostgreSQL is installed (Debian: "apt install postgresql"), and SVC_TEST_POSTGRES names none', () => {});
	});
}
