import type {DatabaseSync} from 'node:sqlite';
import {subjectColumn} from './delivery-rows.ts';
import {groupColumns, groupOfRow, groupTables, memberOf} from './group-rows.ts';
import {pageOf} from './newest-first.ts';
import type {Groups} from './port.ts';

/** Members of a group that are read; a group may have any number. */
const maxMembers = 1000;
/** Groups that one listing gives at most. */
const maxListed = 5000;

/** Reads groups; needs no write access. */
export function createGroupReader(database: DatabaseSync): Pick<Groups, 'get' | 'list'> {
	const one = database.prepare(
		`select ${groupColumns} from ${groupTables} where coalesce_group.id = ?`,
	);
	const members = database.prepare(
		`select id, delivery_id, event, ${subjectColumn} as subject, received_at from delivery where run = ? and run < 0 order by id desc limit ${maxMembers}`,
	);
	const pending = database.prepare(
		`select ${groupColumns} from ${groupTables} where coalesce_group.run is null order by min(quiet_at, cap_at), coalesce_group.id limit ?`,
	);
	const dispatched = database.prepare(
		`select ${groupColumns} from ${groupTables} where coalesce_group.run is not null order by coalesce_group.run desc limit ?`,
	);

	return {
		async get(id) {
			const row = one.get(id);
			return row && {...groupOfRow(row), members: members.all(-id).toReversed().map(memberOf)};
		},
		async list({state, limit}) {
			const most = pageOf(limit, maxListed);
			const waiting = state === 'dispatched' ? [] : pending.all(most).map(groupOfRow);
			const room = state === 'pending' ? 0 : most - waiting.length;
			return [...waiting, ...dispatched.all(room).map(groupOfRow)];
		},
	};
}
