//! Decides which request is next: a bounded queue that is fair by client. No clock, no async.
//!
//! A client's load is its permits and its requests in the queue. The next permit goes to the waiting client with the
//! fewest permits; clients with equally many take turns, and each client's own requests keep their order. If the
//! queue is full, a newcomer displaces the newest request of the client with the greatest load, if its own load stays
//! below that even then.

use std::collections::{HashMap, VecDeque};

use super::Client;

/// A request's number, in the order of arrival.
pub(super) type Ticket = u64;

/// The queue. `T` is the data of a waiting request.
#[derive(Debug)]
pub(super) struct Queue<T> {
    waiting_max: usize,
    waiting: usize,
    clients: HashMap<Client, Presence<T>>,
    /// Clients with waiting requests, in the order of their turns.
    turns: VecDeque<Client>,
    tickets: Ticket,
}

#[derive(Debug)]
struct Presence<T> {
    permits: usize,
    waiting: VecDeque<(Ticket, T)>,
}

impl<T> Default for Presence<T> {
    fn default() -> Self {
        Self { permits: 0, waiting: VecDeque::new() }
    }
}

impl<T> Presence<T> {
    fn load(&self) -> usize {
        self.permits + self.waiting.len()
    }
}

/// The result of joining the queue.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Joined<T> {
    /// It waits.
    Waiting(Ticket),
    /// It waits in place of this request, which was removed.
    InsteadOf(Ticket, T),
    /// The queue is full.
    Full,
}

impl<T> Queue<T> {
    pub(super) fn new(waiting_max: usize) -> Self {
        Self { waiting_max, waiting: 0, clients: HashMap::new(), turns: VecDeque::new(), tickets: 0 }
    }

    /// Whether no request waits.
    #[cfg(test)]
    pub(super) fn is_empty(&self) -> bool {
        self.waiting == 0
    }

    /// How many requests wait.
    pub(super) fn len(&self) -> usize {
        self.waiting
    }

    /// How many requests would be served before a new one of `client`, as the queue is now.
    pub(super) fn ahead_of(&self, client: &Client) -> usize {
        let own = self.clients.get(client).map_or(0, |presence| presence.waiting.len());
        let others = self.turns.iter().filter(|other| *other != client);
        let others = others.filter_map(|other| self.clients.get(other));
        own + others.map(|presence| presence.waiting.len().min(own + 1)).sum::<usize>()
    }

    /// Whether [`Queue::join`] would find room.
    pub(super) fn has_room_for(&self, client: &Client) -> bool {
        self.waiting < self.waiting_max || self.to_displace_for(client).is_some()
    }

    /// Adds a request of `client` to the queue.
    pub(super) fn join(&mut self, client: &Client, request: T) -> Joined<T> {
        let displaced = if self.waiting < self.waiting_max {
            None
        } else {
            let Some((ticket, loser)) = self.to_displace_for(client).and_then(|victim| self.leave_newest(&victim))
            else {
                return Joined::Full;
            };
            Some((ticket, loser))
        };
        self.tickets += 1;
        let ticket = self.tickets;
        let presence = self.clients.entry(client.clone()).or_default();
        if presence.waiting.is_empty() {
            self.turns.push_back(client.clone());
        }
        presence.waiting.push_back((ticket, request));
        self.waiting += 1;
        match displaced {
            Some((_, loser)) => Joined::InsteadOf(ticket, loser),
            None => Joined::Waiting(ticket),
        }
    }

    /// Returns the client whose newest request gives way to a new one of `client`.
    fn to_displace_for(&self, client: &Client) -> Option<Client> {
        let load = self.clients.get(client).map_or(0, Presence::load);
        let waiting = self.turns.iter().filter_map(|other| Some((other, self.clients.get(other)?.load())));
        let (victim, greatest) = waiting.max_by_key(|(_, load)| *load)?;
        // With an equal load afterwards the two would only displace each other in turns.
        (load + 1 < greatest).then(|| victim.clone())
    }

    fn leave_newest(&mut self, client: &Client) -> Option<(Ticket, T)> {
        let newest = self.clients.get_mut(client)?.waiting.pop_back()?;
        self.waiting -= 1;
        self.settle(client);
        Some(newest)
    }

    /// Removes a waiting request and returns its data; `None` if it has left already.
    pub(super) fn leave(&mut self, client: &Client, ticket: Ticket) -> Option<T> {
        let waiting = &mut self.clients.get_mut(client)?.waiting;
        let at = waiting.iter().position(|(other, _)| *other == ticket)?;
        let (_, request) = waiting.remove(at)?;
        self.waiting -= 1;
        self.settle(client);
        Some(request)
    }

    /// How many permits a client holds.
    pub(super) fn permits_of(&self, client: &Client) -> usize {
        self.clients.get(client).map_or(0, |presence| presence.permits)
    }

    /// The client whose request is next: the first of those with the fewest permits, so that equal ones take turns.
    pub(super) fn next_client(&self) -> Option<&Client> {
        self.turns.iter().min_by_key(|client| self.permits_of(client))
    }

    /// Takes the next request out of the queue and counts its permit.
    pub(super) fn next(&mut self) -> Option<(Client, T)> {
        let client = self.next_client()?.clone();
        self.turns.retain(|other| *other != client);
        let presence = self.clients.get_mut(&client)?;
        let (_, request) = presence.waiting.pop_front()?;
        presence.permits += 1;
        self.waiting -= 1;
        if !presence.waiting.is_empty() {
            self.turns.push_back(client.clone());
        }
        Some((client, request))
    }

    /// Records that a request of `client` got a permit without waiting.
    pub(super) fn admitted(&mut self, client: &Client) {
        self.clients.entry(client.clone()).or_default().permits += 1;
    }

    /// Records that a request of `client` gave its permit back.
    pub(super) fn finished(&mut self, client: &Client) {
        if let Some(presence) = self.clients.get_mut(client) {
            presence.permits = presence.permits.saturating_sub(1);
        }
        self.settle(client);
    }

    /// Removes the entries of a client that are no longer needed.
    fn settle(&mut self, client: &Client) {
        let Some(presence) = self.clients.get(client) else { return };
        if presence.waiting.is_empty() {
            self.turns.retain(|other| other != client);
        }
        if presence.load() == 0 {
            self.clients.remove(client);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(name: &str) -> Client {
        Client::named(name).unwrap()
    }

    fn joined(queue: &mut Queue<&'static str>, name: &str, request: &'static str) -> Joined<&'static str> {
        queue.join(&client(name), request)
    }

    fn served(queue: &mut Queue<&'static str>) -> Vec<&'static str> {
        std::iter::from_fn(|| {
            let (client, request) = queue.next()?;
            queue.finished(&client);
            Some(request)
        })
        .collect()
    }

    #[test]
    fn clients_take_turns_and_each_keeps_its_own_order() {
        let mut queue = Queue::new(10);
        for (name, request) in [("a", "a1"), ("a", "a2"), ("a", "a3"), ("b", "b1"), ("c", "c1"), ("b", "b2")] {
            assert!(matches!(joined(&mut queue, name, request), Joined::Waiting(_)));
        }
        assert_eq!(
            (queue.ahead_of(&client("d")), queue.ahead_of(&client("c")), queue.ahead_of(&client("a"))),
            (3, 5, 6)
        );
        assert_eq!(served(&mut queue), ["a1", "b1", "c1", "a2", "b2", "a3"]);
        assert!(queue.is_empty() && queue.clients.is_empty() && queue.turns.is_empty(), "{queue:?}");
    }

    #[test]
    fn the_client_with_fewer_permits_goes_first() {
        let mut queue = Queue::new(10);
        queue.admitted(&client("a"));
        joined(&mut queue, "a", "a1");
        joined(&mut queue, "b", "b1");
        assert_eq!(queue.next().unwrap().1, "b1");
    }

    #[test]
    fn a_flood_loses_its_newest_to_newcomers_and_never_the_other_way_round() {
        let mut queue = Queue::new(4);
        for request in ["a1", "a2", "a3", "a4"] {
            joined(&mut queue, "a", request);
        }
        assert_eq!(joined(&mut queue, "a", "a5"), Joined::Full);
        assert_eq!(joined(&mut queue, "b", "b1"), Joined::InsteadOf(5, "a4"));
        assert_eq!(joined(&mut queue, "c", "c1"), Joined::InsteadOf(6, "a3"));
        // Two, one and one: no client is so far ahead that it could be displaced.
        assert_eq!(joined(&mut queue, "b", "b2"), Joined::Full);
        assert!(queue.has_room_for(&client("d")) && !queue.has_room_for(&client("a")));
        assert_eq!(joined(&mut queue, "d", "d1"), Joined::InsteadOf(7, "a2"));
        assert_eq!(joined(&mut queue, "e", "e1"), Joined::Full, "one each");
        assert_eq!(queue.len(), 4);
        assert_eq!(served(&mut queue), ["a1", "b1", "c1", "d1"]);
    }

    #[test]
    fn permits_count_when_the_queue_is_short() {
        let mut queue = Queue::new(1);
        queue.admitted(&client("a"));
        joined(&mut queue, "a", "a1");
        assert_eq!(joined(&mut queue, "b", "b1"), Joined::InsteadOf(2, "a1"));
        assert_eq!(joined(&mut queue, "a", "a2"), Joined::Full);
    }

    #[test]
    fn a_request_leaves_once() {
        let mut queue = Queue::new(4);
        let Joined::Waiting(ticket) = joined(&mut queue, "a", "a1") else { panic!("{queue:?}") };
        joined(&mut queue, "b", "b1");
        assert_eq!(queue.leave(&client("a"), ticket), Some("a1"));
        assert_eq!(queue.leave(&client("a"), ticket), None);
        assert_eq!(served(&mut queue), ["b1"]);
        assert!(queue.clients.is_empty(), "{queue:?}");
    }
}
