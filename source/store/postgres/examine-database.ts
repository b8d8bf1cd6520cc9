import type {Clock} from '../../core/clock.ts';
import {integerOf} from '../columns.ts';
import {createDatabase} from './database.ts';

/** What a look at a database tells. */
export type ExaminedDatabase = {
	/** Host and name, without a secret. */
	readonly name: string;
	/** As `server_version_num` has it: 150003. */
	readonly version: number;
	/** Its clock, milliseconds since 1970. */
	readonly now: number;
	/** Whether it is no standby. */
	readonly canWrite: boolean;
	/** Subscriptions whose secret stands there as it is. */
	readonly plainSecrets: number;
};

/** Looks at a database and changes nothing. @throws SvcError `journal_unavailable` */
export async function examineDatabase({
	url,
	clock,
}: {
	readonly url: string;
	readonly clock: Clock;
}): Promise<ExaminedDatabase> {
	const database = createDatabase({clock}, {url});
	try {
		const [facts] = await database.query(
			`select current_setting('server_version_num')::integer as version,
				(extract(epoch from clock_timestamp()) * 1000)::bigint as now,
				pg_is_in_recovery()::integer as standby,
				(to_regclass('document') is not null)::integer as filled`,
		);
		// What is encrypted is no JSON text under that key.
		const [plain] =
			integerOf(facts?.['filled']) === 1
				? await database.query(
						`select count(*) as plain from document where kind = 'subscription' and data like '%"secret":"%' and data not like '%"secret":"svc%:%'`,
					)
				: [];
		return {
			name: database.name,
			version: integerOf(facts?.['version']),
			now: integerOf(facts?.['now']),
			canWrite: integerOf(facts?.['standby']) === 0,
			plainSecrets: integerOf(plain?.['plain'] ?? 0),
		};
	} finally {
		await database.close();
	}
}
