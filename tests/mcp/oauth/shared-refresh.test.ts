// @module-tag slow
import {expect, test} from 'vitest';
import {homePaths} from '../../../source/config/home-paths.ts';
import {systemClock} from '../../../source/core/clock.ts';
import {silentLogger} from '../../../source/core/log.ts';
import {openSharedDocuments} from '../../../source/gateway/documents/open-shared.ts';
import {openPostgresStore} from '../../../source/store/postgres/open-postgres-store.ts';
import {hasPostgres, startPostgres} from '../../helpers/postgres.ts';
import {temporaryHome} from '../../helpers/temporary-home.ts';
import {startAuthorizationServer} from '../servers/authorization-server.ts';
import {oauthWorld, remoteServer} from './oauth-world.ts';

const clock = systemClock;

test.runIf(hasPostgres)(
	'two members use one login: each token that ends is refreshed once, no refresh token is used twice, and both go on',
	async () => {
		await using stack = new AsyncDisposableStack();
		const database = stack.use(await startPostgres());
		const url = await database.create('shared_login');
		const site = stack.use(await startAuthorizationServer({}));
		const server = remoteServer(site.url);
		const join = async (node: string) => {
			const home = stack.use(await temporaryHome());
			const store = stack.use(await openPostgresStore({clock}, {url, node, place: node}));
			const documents = stack.use(
				openSharedDocuments({
					clock,
					log: silentLogger,
					paths: homePaths({environment: {SVC_HOME: home.path}}),
				}),
			);
			if (!store.documents) {
				throw new Error('the store has no documents');
			}

			const {documents: stored, leases, events} = store;
			await documents.follow(
				{documents: stored, leases, events},
				{storeKey: 'a key of at least sixteen characters'},
			);
			const {shared} = documents.paths;
			if (!shared) {
				throw new Error('nothing is shared');
			}

			return {shared, world: stack.use(await oauthWorld({home: home.path, shared}))};
		};
		const [east, west] = [await join('east'), await join('west')];
		await east.world.login(server);
		const accessToken = (member: typeof east): string =>
			(JSON.parse(member.shared.logins?.read('crm.json') ?? '{}') as {access_token?: string})
				.access_token ?? '';
		await expect.poll(() => accessToken(west)).toBe(accessToken(east));
		const connections = [await east.world.connect(server), await west.world.connect(server)];
		for (let round = 1; round <= 5; round += 1) {
			site.refuse(accessToken(east));
			// oxlint-disable-next-line no-await-in-loop -- one token ends after the other
			const answers = await Promise.all(
				[...connections, ...connections, ...connections].map(async connection =>
					connection.whoami?.(),
				),
			);
			expect(answers).toEqual(answers.map(() => 'alice'));
			const used = site
				.tokenRequests()
				.filter(form => form?.get('grant_type') === 'refresh_token')
				.map(form => form?.get('refresh_token'));
			expect(used).toHaveLength(round);
			expect(new Set(used).size).toBe(round);
			// oxlint-disable-next-line no-await-in-loop -- as above
			await expect.poll(() => accessToken(west)).toBe(accessToken(east));
		}
	},
);
