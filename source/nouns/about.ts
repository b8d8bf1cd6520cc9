import {type Safe, escapeLine} from '../core/untrusted.ts';

/** The owner in `owner/repository`: the same in nearly every row. */
const owner = /^[\w.-]{1,64}\/(?=[\w.-]+(?:[#!@ ]|$))/;

/** From this column width on the owner is shown. */
const roomForOwners = 40;

/** An event's subject for a column of `room` cells. Narrow columns leave out the owner in every row, so that rows begin with what distinguishes them and can be compared. */
export function aboutText(subject: string, room: number): Safe {
	return escapeLine(room < roomForOwners ? subject.replace(owner, '') : subject);
}
